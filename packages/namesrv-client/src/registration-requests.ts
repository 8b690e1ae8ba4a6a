import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { toLong } from '@rmqns/remoting/json';
import { type BrokerRegistration, RegisterBrokerRequest } from './register-broker-request.js';

/** What makes a broker known to a name server. */
export interface RegistrationRequests {
  /** The whole table. */
  readonly full: RegisterBrokerRequest;
  /** Goes first where the broker is not registered yet; only for a table of exactly one topic. */
  readonly introduction: RegisterBrokerRequest | undefined;
}

/**
 * Makes the requests for a topic table. A 5.x name server refuses a table of exactly one topic from a broker that it does not know
 * (reference: broker-registration 2.7), so such a broker introduces itself with an empty table. The introduction's version is that of
 * the change before, since a name server of 4.x ignores a table whose version it has seen.
 *
 * @throws RemotingError `ENCODE_FAILED` when a topic cannot be written compressed
 */
export function registrationRequests(registration: BrokerRegistration): RegistrationRequests {
  const wrapper = registration.topicConfigSerializeWrapper;
  const full = new RegisterBrokerRequest(registration);
  if (wrapper.topicConfigTable?.size !== 1) return { full, introduction: undefined };
  const empty = { ...registration, topicConfigSerializeWrapper: emptyTableBefore(wrapper) };
  return { full, introduction: new RegisterBrokerRequest(empty) };
}

function emptyTableBefore(wrapper: TopicConfigSerializeWrapper): TopicConfigSerializeWrapper {
  const { dataVersion } = wrapper;
  const counter = toLong(BigInt(dataVersion.counter ?? 0) - 1n) ?? 0;
  return { dataVersion: { ...dataVersion, counter }, topicConfigTable: new Map(), topicQueueMappingInfoMap: new Map() };
}
