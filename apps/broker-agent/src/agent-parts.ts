import type { Clock, Logger } from '@rmqns/remoting';
import type { AgentConfig } from './agent-config.js';
import { healthGate } from './configured-health.js';
import { nameServerSource } from './configured-name-servers.js';
import { topicSources } from './configured-topics.js';
import { FileCredentials } from './file-credentials.js';
import type { HealthGate } from './health-gate.js';
import type { NameServerSource } from './name-server-source.js';
import type { RoleSource } from './role-source.js';
import { RunningBrokerRole } from './running-broker-role.js';
import type { TopicSource } from './topic-source.js';

/** What tells an agent whom to register, where and when. The agent starts and closes it. */
export interface AgentParts {
  /** Earlier sources win where two name the same topic. */
  readonly topicSources: readonly TopicSource[];
  readonly health: HealthGate;
  readonly nameServers: NameServerSource;
  /** Who signs requests to name servers; `undefined`: nobody. Nothing is registered before it can. */
  readonly credentials?: FileCredentials | undefined;
  /** Who knows the node's role; `undefined`: the configuration, for good. */
  readonly role?: RoleSource | undefined;
}

/** The parts that the configuration asks for. */
export function agentParts(config: AgentConfig, clock: Clock, logger: Logger): AgentParts {
  return {
    topicSources: topicSources(config.topics, clock, logger),
    health: healthGate(config.health.probing, clock, logger),
    nameServers: nameServerSource(config, clock, logger),
    credentials:
      config.namesrvCredentials === undefined
        ? undefined
        : new FileCredentials(config.namesrvCredentials, { clock, logger }),
    role:
      config.identity.roleOf === undefined
        ? undefined
        : new RunningBrokerRole({ address: config.identity.roleOf, tls: config.brokerTls, clock, logger }),
  };
}
