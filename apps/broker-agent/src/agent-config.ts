import type { OnFailing } from './health-gate.js';
import type { TopicConfigTable } from './topic-config-table.js';

/** What the agent does and for whom, whichever form of configuration said so. */
export interface AgentConfig {
  /** `host:port` each, at least one, none twice. */
  readonly namesrvAddresses: readonly string[];
  readonly identity: BrokerIdentity;
  readonly register: RegisterConfig;
  readonly topics: TopicsConfig;
  readonly health: HealthConfig;
  /** Where the data version is kept over restarts. */
  readonly stateDirectory: string;
}

/** Whom the agent registers. */
export interface BrokerIdentity {
  readonly clusterName: string;
  readonly brokerName: string;
  /** 0: the master of its name. */
  readonly brokerId: number;
  /** `host:port` that clients dial. */
  readonly brokerAddr: string;
  /** `host:port` for replication. */
  readonly haServerAddr: string;
  /** Bits of PermName; what lacks here is taken from every topic as it is sent. */
  readonly brokerPermission: number;
  readonly filterServers: readonly string[];
}

/** When and how to register. */
interface RegisterConfig {
  /** Between rounds; 10 s to 60 s, default 30 s. */
  readonly periodMillis: number;
  /** For each call and for the round; default 6 s. */
  readonly timeoutMillis: number;
  readonly compressed: boolean;
  /** False: ask first whether the name servers know the data version (322). */
  readonly forceRegister: boolean;
  /** Whether the topics named after the cluster and the broker go along. */
  readonly includeBrokerTopics: boolean;
  /** False: on stop the connections end without a word, and name servers drop the node for that. Default true. */
  readonly unregisterOnStop: boolean;
  /** How long to wait before the first registration; default 0. */
  readonly startDelayMillis: number;
}

/** Where topics come from. */
interface TopicsConfig {
  /** Earlier sources win where two name the same topic. */
  readonly sources: readonly TopicSourceConfig[];
  /** How long a file must be quiet before it is read; default 500 ms. */
  readonly debounceMillis: number;
  /** A table of fewer topics is not published. */
  readonly minimum: number;
}

/** What depends on the node's health. */
interface HealthConfig {
  /** Default `unregister`. */
  readonly onFailing: OnFailing;
}

export type TopicSourceConfig =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'static'; readonly table: TopicConfigTable };
