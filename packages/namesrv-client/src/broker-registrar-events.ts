import type { TlsReloadEvent } from '@rmqns/remoting';
import type { BrokerConflict } from './broker-conflict.js';
import type { FanOutResult, NameServerOutcome } from './fan-out.js';
import type { MinBroker } from './min-broker-id.js';
import type { DataVersionAnswer, RegisterBrokerResult } from './name-server-client.js';

/** One registration with all name servers. */
export interface RegistrationRound extends FanOutResult<RegisterBrokerResult> {
  /** Whether anything was registered; false when all name servers had this data version. */
  readonly needed: boolean;
  /**
   * What name servers answered when they were asked first whether they need it: one for each when nothing was registered, else those
   * that came until one needed it. `undefined` for a round that did not ask.
   */
  readonly queryOutcomes?: readonly NameServerOutcome<DataVersionAnswer>[] | undefined;
  /** Asking first included. */
  readonly durationMillis: number;
}

/** Where a slave finds its master, by the answer of one name server; `undefined` for a master, and while the master is not known. */
export interface MasterAddresses {
  readonly masterAddr: string | undefined;
  readonly haServerAddr: string | undefined;
}

export interface BrokerRegistrarEventMap {
  /** A round is over. */
  round: [round: RegistrationRound];
  /**
   * A name server's part in a round, as soon as it is over; late: after the round was over. One that has not answered by then is told
   * of in `round`, and here when its own time is up or its answer came.
   */
  outcome: [outcome: NameServerOutcome<RegisterBrokerResult>, late: boolean];
  /** A name server was done with a round only after the barrier. */
  lateOutcome: [outcome: NameServerOutcome<RegisterBrokerResult>];
  /** A registration with one name server outside the rounds: its connection was lost, could not be made, or its address is new. */
  reconnect: [outcome: NameServerOutcome<RegisterBrokerResult>];
  /**
   * A name server says yes and then hangs up: so many connections in a row, three, were lost within 10 s after the broker was registered
   * on them. Told once, and again only after one has lasted 10 s. It is tried again each 5 s at most.
   */
  flapping: [nameServer: string, shortConnections: number];
  /** Another broker has our name and id at a name server, where it had not, or yet another one; nothing is registered there meanwhile. */
  conflict: [conflict: BrokerConflict];
  /** It is gone from there, or was taken over. The next round registers, if none did yet. */
  conflictEnded: [nameServer: string];
  /**
   * The member of the group with the smallest id is another one, by what a name server says each heartbeat (105 of upstream, 901 and 106
   * here) or told by 905. Only where the broker may act as master. `undefined`: a group without members.
   */
  minBrokerIdChanged: [min: MinBroker | undefined];
  /** The files of TLS changed: new connections use them, or they cannot be used and the former ones stay. */
  tlsReload: [event: TlsReloadEvent];
  /** The master's addresses are other ones than before. */
  masterChanged: [addresses: MasterAddresses, nameServer: string];
  /**
   * A name server's table of ordered topics, topic to `brokerA:4`: those that the broker has are to become ordered. Comes with every
   * round that asked for it, changed or not, also for the sake of topics that are new here.
   */
  orderTopicConfig: [table: ReadonlyMap<string, string>, nameServer: string];
}
