import type { MasterAddresses, MinBroker } from '@rmqns/namesrv-client';
import type { DataVersion } from '@rmqns/protocol';
import type { BrokerIdentity } from './agent-config.js';
import type { Health, ProbeStatus } from './health-gate.js';

/**
 * `starting`: before the start or in its delay. `waiting`: nothing was registered yet, `waitingFor` says why. `registering`: the rounds
 * run. `suspended`: the node fails and is not registered meanwhile. `stopped`: for good.
 */
export type AgentState = 'starting' | 'waiting' | 'registering' | 'suspended' | 'stopped';

/** An agent as it stands, as plain data: `/status` is this as JSON. */
export interface AgentStatus {
  readonly state: AgentState;
  /** A phrase each: topics of a source, name servers, the node's health. */
  readonly waitingFor: readonly string[];
  readonly identity: BrokerIdentity;
  readonly health: Health;
  readonly probes: readonly ProbeStatus[];
  readonly topics: TopicsStatus;
  readonly nameServers: NameServersStatus;
  /** Of a slave, as last told. */
  readonly master: MasterAddresses;
  /** The member of the group with the smallest id, as last told; only where the broker may act as master. */
  readonly minBroker: MinBroker | undefined;
}

interface TopicsStatus {
  /** How many are published; `undefined` as long as there was no good table. */
  readonly count: number | undefined;
  readonly dataVersion: DataVersion | undefined;
  /** Why what the sources have is not published; `undefined` when it is, or when they have nothing yet. */
  readonly problem: string | undefined;
  /** Why the state directory does not have what was registered last; `undefined` when it has. */
  readonly stateProblem: string | undefined;
  readonly sources: readonly SourceStatus[];
}

/** A source of topics. */
interface SourceStatus {
  readonly name: string;
  /** How many it has; `undefined` as long as it had no good table. */
  readonly topics: number | undefined;
  /** Why the last look was not good. */
  readonly problem: string | undefined;
  /** How many looks were not good. */
  readonly errors: number;
  /** How long ago the last good look was; `undefined` before it, and for what needs no look. */
  readonly ageMillis: number | undefined;
}

interface NameServersStatus {
  /** Where the list is from. */
  readonly source: string;
  readonly problem: string | undefined;
  readonly servers: readonly NameServerStatus[];
}

/** One name server, by the last registration with it. */
export interface NameServerStatus {
  readonly address: string;
  /** Whether the connection stands on which it acknowledged the whole table. */
  readonly registered: boolean;
  /** Whether it says yes and hangs up, again and again. */
  readonly flapping: boolean;
  /** Where it has our broker's name and id, if not at our address: nothing is registered there meanwhile. */
  readonly conflict: string | undefined;
  /** When it acknowledged a table last, by the wall clock. */
  readonly lastSuccessMillis: number | undefined;
  /** How long ago that was, however the wall clock jumped meanwhile. */
  readonly lastSuccessAgeMillis: number | undefined;
  /** Why the last registration failed. */
  readonly problem: string | undefined;
}
