import type {
  BrokerConflict,
  MasterAddresses,
  MinBroker,
  NameServerOutcome,
  RegisterBrokerResult,
  RegistrationRound,
} from '@rmqns/namesrv-client';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { BrokerIdentity } from './agent-config.js';
import type { Health } from './health-gate.js';

/** What an agent tells of, for hooks and metrics. Listeners must not block, and what they throw is logged. */
export interface AgentEventMap {
  /** The rounds begin, and a name server is known: the first registration is sent next. */
  registering: [];
  /** A round is over; `outcomes` says how it went with each name server. */
  round: [round: RegistrationRound];
  /** A name server's part in a round, as soon as it is over; late: after the round was over. */
  outcome: [outcome: NameServerOutcome<RegisterBrokerResult>, late: boolean];
  /** A registration with one name server outside the rounds. */
  reconnect: [outcome: NameServerOutcome<RegisterBrokerResult>];
  /** Another topic table is published, with its data version. */
  topicsChanged: [published: TopicConfigSerializeWrapper];
  /** The node passes or fails, where it did not before. */
  healthChanged: [health: Health];
  /** The list of name servers is another one. */
  nameServersChanged: [addresses: readonly string[]];
  /** Another node has our broker's name and id at a name server, where it had not, or yet another one; see `Agent.takeOver`. */
  conflict: [conflict: BrokerConflict];
  /** It is gone from there, or was taken over. */
  conflictEnded: [namesrv: string];
  /** The broker that this registers has another id, name, address or permission. */
  identityChanged: [identity: BrokerIdentity, before: BrokerIdentity];
  /** The master's addresses are other ones than before, both `undefined` where it is gone. */
  masterChanged: [addresses: MasterAddresses, namesrv: string];
  /** The member of the group with the smallest id is another one; only where the broker may act as master. */
  minBrokerIdChanged: [min: MinBroker | undefined];
  /** The table of ordered topics of the name servers, topic to `brokerA:4`, is another one. */
  orderTopicsChanged: [table: ReadonlyMap<string, string>, namesrv: string];
}
