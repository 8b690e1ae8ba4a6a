import { isDeepStrictEqual } from 'node:util';
import { encodeKvTable, NotifyMinBrokerIdChange } from '@rmqns/protocol';
import { type Clock, formatSocketAddress, type Logger, RemotingServer } from '@rmqns/remoting';
import type { Agent } from './agent.js';
import type { AgentCompanion } from './agent-companion.js';
import type { AgentConfig, FacadeConfig } from './agent-config.js';
import type { AgentStatus } from './agent-status.js';
import { brokerConfigText, FACADE_VERSION, runtimeInfo } from './facade-answers.js';
import { GetBrokerConfig, GetBrokerRuntimeInfo } from './facade-commands.js';

export interface FacadeCompanionOptions {
  readonly status: () => AgentStatus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Answers the admin tool and dashboards at the registered address in the place of a store that speaks another protocol: 28 and 26, takes what
 * name servers tell a broker there (905), and everything else is not supported (code 3). Dashboards show no cluster at all when one of its nodes does not answer.
 */
export class FacadeCompanion implements AgentCompanion {
  readonly #options: FacadeCompanionOptions;
  readonly #bootMillis: number;
  #config: FacadeConfig | undefined;
  #agent: Agent | undefined;
  #server: RemotingServer | undefined;
  /** Why the port cannot be had, as it was told. */
  #problem = '';

  constructor(options: FacadeCompanionOptions) {
    this.#options = options;
    this.#bootMillis = options.clock.now();
  }

  /** `host:port` while it answers. */
  get address(): string | undefined {
    return this.#server?.address;
  }

  async update({ facade }: AgentConfig): Promise<boolean> {
    if (this.#server !== undefined && isDeepStrictEqual(facade, this.#config)) return true;
    await this.close();
    this.#config = facade;
    if (facade === undefined) return true;
    const { status, clock, logger } = this.#options;
    const server = new RemotingServer({ ...facade, version: FACADE_VERSION, clock, logger });
    server.handle(GetBrokerRuntimeInfo, () => ({ body: encodeKvTable(runtimeInfo(status(), this.#bootMillis)) }));
    server.handle(GetBrokerConfig, () => {
      const { dataVersion } = status().topics;
      const version = { counter: Number(dataVersion?.counter ?? 0), timestamp: Number(dataVersion?.timestamp ?? 0) };
      return { header: { version: JSON.stringify(version) }, body: Buffer.from(brokerConfigText(status())) };
    });
    server.handle(NotifyMinBrokerIdChange, ({ header: { minBrokerId, minBrokerAddr } }) => {
      if (minBrokerId != null && minBrokerAddr != null)
        this.#agent?.notifyMinBrokerIdChange({ minBrokerId, minBrokerAddr });
      return {};
    });
    try {
      await server.start();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const address = formatSocketAddress(facade.host, facade.port);
      if (problem !== this.#problem)
        logger.error({ facade: address, problem }, 'the facade cannot listen, the node is registered nevertheless');
      this.#problem = problem;
      await server.close();
      return false;
    }
    this.#problem = '';
    this.#server = server;
    logger.info({ facade: server.address }, 'the facade answers the admin tool');
    return true;
  }

  follow(agent: Agent): void {
    this.#agent = agent;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }
}
