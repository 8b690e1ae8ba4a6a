import type { BrokerRegistrar, TopicsChange } from '@rmqns/namesrv-client';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import type { AgentConfig } from './agent-config.js';
import type { AgentParts } from './agent-parts.js';
import type { AgentState } from './agent-status.js';
import type { RegistrationLog } from './registration-log.js';
import type { TopicConfigManager } from './topic-config-manager.js';

export interface RegistrationGateOptions {
  readonly config: Pick<AgentConfig, 'register' | 'health'>;
  readonly parts: Pick<AgentParts, 'health' | 'role' | 'credentials'>;
  readonly topics: TopicConfigManager;
  readonly registrar: BrokerRegistrar;
  readonly log: RegistrationLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told once, as the first name server is about to be told of the node. */
  readonly onRegistering: () => void;
}

/** Has a registrar begin, stop and go on as start delay, topics, health, role and credentials ask for. */
export class RegistrationGate {
  readonly #options: RegistrationGateOptions;
  #delay: Timer | undefined;
  /** Whether the start delay is over. */
  #began = false;
  /** Whether the node passed at any time. */
  #passed = false;
  /** Whether the rounds run. */
  #started = false;
  #saidRegistering = false;
  /** Whether another agent registers the node. */
  #paused = false;
  #isClosed = false;

  constructor(options: RegistrationGateOptions) {
    this.#options = options;
  }

  get state(): AgentState {
    if (this.#isClosed) return 'stopped';
    if (this.#options.registrar.isSuspended) return 'suspended';
    if (this.#started) return 'registering';
    return this.#began ? 'waiting' : 'starting';
  }

  /** Whether the rounds run, or are suspended. */
  get isStarted(): boolean {
    return this.#started;
  }

  /** The start delay begins, and nothing is registered before its end. */
  start(): void {
    const { config, clock } = this.#options;
    const { startDelayMillis } = config.register;
    const begin = (): void => {
      this.#began = true;
      this.update();
    };
    if (startDelayMillis === 0) begin();
    else this.#delay = clock.setTimeout(begin, startDelayMillis);
  }

  /**
   * Brings the registration to what is asked for now.
   *
   * @returns whether this began a round
   */
  update(): boolean {
    const { topics, parts, registrar, log, config } = this.#options;
    if (!this.#began || topics.published === undefined || this.#paused || this.#isClosed) return false;
    if (parts.role !== undefined && parts.role.current === undefined) return false;
    if (parts.credentials?.isReady === false) return false;
    const { health } = parts.health;
    const { onFailing } = config.health;
    if (health === 'passing') this.#passed = true;
    if (!this.#passed) return false;
    if (health === 'failing' && (onFailing === 'unregister' || onFailing === 'silent')) {
      if (registrar.isSuspended) return false;
      const left = registrar.suspend({ unregister: onFailing === 'unregister' });
      void left.then(({ outcomes }) => log.left(outcomes));
      return false;
    }
    const resumes = registrar.isSuspended;
    const resumed = registrar.resume();
    if (this.#started && !resumes) return false;
    if (this.#started) {
      this.#logged(resumed);
      return true;
    }
    this.#started = true;
    if (registrar.nameServerAddressList.length > 0) this.#sayRegistering();
    this.#logged(registrar.start());
    return true;
  }

  /** There is another table; `change` is what changed where it can be sent alone. */
  topicsChanged(change: TopicsChange | undefined): void {
    const { registrar, config } = this.#options;
    if (this.update() || !this.#started) return;
    this.#logged(registrar.topicsChanged(config.register.changesOnly ? change : undefined));
  }

  /** The registrar is about to get a list of name servers. */
  nameServersChange(): void {
    if (this.#started) this.#sayRegistering();
  }

  /**
   * Another agent is about to register the node: from now on nothing is registered, since name servers forget a node with the connection of
   * its last registration, and that of this agent is to end. It stays until then.
   */
  pause(): void {
    const { registrar } = this.#options;
    this.#paused = true;
    if (this.#started && !registrar.isSuspended) void registrar.suspend({ unregister: false });
  }

  /** The other one did not: what {@link pause} stopped goes on, at once. */
  unpause(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#started) this.#logged(this.#options.registrar.resume());
    this.update();
  }

  /** Nothing begins any more. */
  close(): void {
    this.#isClosed = true;
    this.#delay?.cancel();
  }

  #sayRegistering(): void {
    if (this.#saidRegistering) return;
    this.#saidRegistering = true;
    this.#options.onRegistering();
  }

  #logged(round: Promise<unknown>): void {
    const { logger } = this.#options;
    round.catch((error: unknown) => logger.error({ err: error }, 'the topics cannot be registered'));
  }
}
