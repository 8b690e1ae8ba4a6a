import type { ConflictPolicy } from '@rmqns/namesrv-client';
import type { TlsClientOptions } from '@rmqns/remoting';
import type { CredentialsConfig } from './file-credentials.js';
import type { Health, OnFailing } from './health-gate.js';
import type { HooksConfig } from './hook-config.js';
import type { ProbeRules } from './probe-state.js';
import type { TopicConfigTable, TopicMerge } from './topic-config-table.js';

/** What the agent does and for whom, whichever form of configuration said so. */
export interface AgentConfig {
  /** `host:port` each, none twice; at least one where {@link discovery} names neither file nor address server. */
  readonly namesrvAddresses: readonly string[];
  /** How the name servers are found; `undefined`: they are those of the list, by their names. */
  readonly discovery?: DiscoveryConfig | undefined;
  /** TLS with all name servers; `undefined`: none. */
  readonly namesrvTls?: TlsClientOptions | undefined;
  /** TLS with the broker whose role is followed; `undefined`: none. */
  readonly brokerTls?: TlsClientOptions | undefined;
  /** Who signs what all name servers are asked; `undefined`: nobody. */
  readonly namesrvCredentials?: CredentialsConfig | undefined;
  readonly identity: BrokerIdentity;
  readonly register: RegisterConfig;
  readonly topics: TopicsConfig;
  readonly health: HealthConfig;
  /** Where the data version is kept over restarts. */
  readonly stateDirectory: string;
  /** The node's store where the state is in it; that must be there first, and is never made. */
  readonly storeDirectory?: string | undefined;
  /** `undefined`: no pages. */
  readonly admin?: AdminConfig | undefined;
  /** Who is told of what happens; `undefined`: nobody. */
  readonly hooks?: HooksConfig | undefined;
  /** `undefined`: the store itself answers the admin tool. */
  readonly facade?: FacadeConfig | undefined;
}

/** Where the agent learns of name servers. At most one of file and address server; without either the list of the configuration. */
export interface DiscoveryConfig {
  readonly file?: string | undefined;
  /** A URL. */
  readonly addressServer?: string | undefined;
  /** Whether every address of a name counts as a name server of its own. */
  readonly dns: boolean;
  /** Between looks. */
  readonly refreshMillis: number;
}

/** Where the operator's pages are. */
export interface AdminConfig {
  /** The address to listen at; by default only this machine reaches it. */
  readonly bind: string;
  readonly port: number;
  /** Names besides addresses and `localhost` by which the pages may be asked for. */
  readonly hosts: readonly string[];
}

/** Where to answer the admin tool in the place of a store. */
export interface FacadeConfig {
  readonly host: string;
  readonly port: number;
}

/** As long as nobody says otherwise. */
export const defaultAdmin: AdminConfig = { bind: '127.0.0.1', port: 9_881, hosts: [] };

/** Whom the agent registers. */
export interface BrokerIdentity {
  readonly clusterName: string;
  readonly brokerName: string;
  /** 0: the master of its name. */
  readonly brokerId: number;
  /** `host:port` of a running broker whose id and permission are followed, in the place of those here; default none. */
  readonly roleOf?: string | undefined;
  /** `host:port` that clients dial. */
  readonly brokerAddr: string;
  /** `host:port` for replication. */
  readonly haServerAddr: string;
  /** Sent to 5.x name servers: how long the node may be silent; `undefined`: as they have it, 120 s. */
  readonly heartbeatTimeoutMillis?: number | undefined;
  /** Whether a slave may act as master; true makes this a 5.x broker with a sign of life each second. Default false. */
  readonly enableActingMaster?: boolean | undefined;
  /** Where the node is, for clients that want brokers of their zone; default nowhere. */
  readonly zoneName?: string | undefined;
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
  /** A table of more topics goes in requests of so many; `undefined`: in one. */
  readonly splitSize?: number | undefined;
  /** Whether topics that came or changed go alone to name servers that have the rest; the rounds carry all. */
  readonly changesOnly: boolean;
  /** Between signs of life; `undefined`: what the identity asks for. */
  readonly heartbeatIntervalMillis?: number | undefined;
  /** False: signs of life are 904 and not 322. Default true. */
  readonly compatibleWithOldNameSrv?: boolean | undefined;
  /** What becomes of it where another node has the broker's name and id. */
  readonly onConflict: ConflictPolicy;
  /** Whether the topics named after the cluster and the broker go along. */
  readonly includeBrokerTopics: boolean;
  /** False: on stop the connections end without a word, and name servers drop the node for that. Default true. */
  readonly unregisterOnStop: boolean;
  /** By which share of the period chance may lengthen the wait for a lost name server, which is 1.5 s at most; default 0.1. */
  readonly reconnectJitter?: number | undefined;
  /** How long to wait before the first registration; default 0. */
  readonly startDelayMillis: number;
}

/** Where topics come from. */
interface TopicsConfig {
  readonly sources: readonly TopicSourceConfig[];
  /** What the table is where there are several; default `union`. */
  readonly merge?: TopicMerge | undefined;
  /** How long a file must be quiet before it is read; default 500 ms. */
  readonly debounceMillis: number;
  /** A table of fewer topics is not published. */
  readonly minimum: number;
}

/** What depends on the node's health. */
interface HealthConfig {
  /** Default `unregister`. */
  readonly onFailing: OnFailing;
  /** `undefined`: the node always passes. */
  readonly probing?: ProbingConfig | undefined;
}

/** Who says whether the node passes. */
export interface ProbingConfig {
  /** Whether all probes must pass, or any; default `all`. */
  readonly mode: 'all' | 'any';
  /** What each probe is before its first look; default `failing`. */
  readonly initial: Health;
  /** At least one. */
  readonly probes: readonly ProbeConfig[];
}

/** What a probe asks, when, and how many looks turn it. */
export type ProbeConfig = ProbeRules &
  Polling &
  (
    | { readonly kind: 'tcp'; readonly address: string }
    | { readonly kind: 'http'; readonly url: string; readonly expect: readonly number[]; readonly body?: string }
    | { readonly kind: 'exec'; readonly command: readonly string[] }
  );

/** Where the agent asks for topics. */
export type TopicSourceConfig =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'static'; readonly table: TopicConfigTable }
  | { readonly kind: 'broker'; readonly address: string }
  | (Polling & { readonly kind: 'http'; readonly url: string; readonly etag: boolean })
  | (Polling & { readonly kind: 'exec'; readonly command: readonly string[] });

interface Polling {
  readonly everyMillis: number;
  /** For one look. */
  readonly timeoutMillis: number;
}
