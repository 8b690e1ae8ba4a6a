import type { RegistrationRound } from '@rmqns/namesrv-client';
import { sameDataVersion, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger } from '@rmqns/remoting';
import type { Agent } from './agent.js';
import type { AgentCompanion } from './agent-companion.js';
import type { AgentConfig } from './agent-config.js';
import { EventHooks } from './event-hooks.js';
import type { Health } from './health-gate.js';
import { type HookEvent, hookEvents } from './hook-config.js';
import { hookMessage } from './hook-message.js';
import type { HookResult } from './hook-runner.js';
import { nameServerProblem } from './name-server-problem.js';

export interface HooksCompanionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each run of a hook. */
  readonly onResult?: ((hook: string, result: HookResult) => void) | undefined;
}

/** Tells hooks what happens to an agent. */
export class HooksCompanion implements AgentCompanion {
  readonly #options: HooksCompanionOptions;
  readonly #hooks: ReadonlyMap<HookEvent, EventHooks>;
  /** How the last round went, and with whom. */
  #lastRound = '';
  #followed: Agent | undefined;

  constructor(options: HooksCompanionOptions) {
    this.#options = options;
    const { clock, logger, onResult = () => {} } = options;
    this.#hooks = new Map(hookEvents.map((event) => [event, new EventHooks({ clock, logger, onResult })]));
  }

  async update({ hooks = {} }: AgentConfig): Promise<boolean> {
    for (const [event, those] of this.#hooks) those.update(hooks[event] ?? []);
    return true;
  }

  follow(agent: Agent): void {
    const tell = (event: HookEvent, details: () => object): void => this.#tell(agent, event, details);
    const tellTopics = ({ topicConfigTable, dataVersion }: TopicConfigSerializeWrapper): void =>
      tell('onTopicsChanged', () => ({
        count: topicConfigTable?.size ?? 0,
        counter: dataVersion.counter,
        topics: [...(topicConfigTable?.keys() ?? [])],
      }));
    const tellHealth = (health: Health): void =>
      tell('onHealthChanged', () => ({ health, probes: agent.status.probes }));
    // What is otherwise than with the agent before, which had another configuration, changed as well.
    const before = this.#followed;
    this.#followed = agent;
    const { health } = agent.status;
    const { published } = agent;
    if (before !== undefined && before.status.health !== health) tellHealth(health);
    if (before?.published !== undefined && published !== undefined)
      if (!sameDataVersion(before.published.dataVersion, published.dataVersion)) tellTopics(published);
    agent
      .on('round', (round) => this.#round(agent, round))
      .on('topicsChanged', tellTopics)
      .on('healthChanged', tellHealth)
      .on('masterChanged', ({ masterAddr, haServerAddr }, namesrv) =>
        tell('onMasterChanged', () => ({ masterAddr, haServerAddr, namesrv })),
      )
      .on('orderTopicsChanged', (table, namesrv) =>
        tell('onOrderTopicsChanged', () => ({ orderTopics: Object.fromEntries(table), namesrv })),
      )
      .on('conflict', ({ nameServer, holderAddr }) => tell('onConflict', () => ({ namesrv: nameServer, holderAddr })));
  }

  async close(): Promise<void> {
    for (const hooks of this.#hooks.values()) hooks.close();
  }

  /** Told when it went otherwise than the one before, or with others. */
  #round(agent: Agent, { needed, outcomes, durationMillis }: RegistrationRound): void {
    if (!needed) return;
    const registered = outcomes.filter(({ status }) => status === 'ok').map(({ address }) => address);
    const failed = outcomes
      .filter(({ status }) => status !== 'ok')
      .map(({ address, status, error }) => ({ namesrv: address, status, problem: nameServerProblem(error) }));
    const event = failed.length === 0 ? 'onRegistered' : registered.length === 0 ? 'onFailed' : 'onPartial';
    const summary = JSON.stringify([event, [...registered].sort(), failed.map(({ namesrv }) => namesrv).sort()]);
    if (summary === this.#lastRound) return;
    this.#lastRound = summary;
    this.#tell(agent, event, () => ({ registered, failed, durationMillis: Math.round(durationMillis) }));
  }

  #tell(agent: Agent, event: HookEvent, details: () => object): void {
    const hooks = this.#hooks.get(event);
    if (hooks === undefined || hooks.isEmpty) return;
    const message = hookMessage(event, agent.status.identity, this.#options.clock.now(), details());
    hooks.tell(message);
  }
}
