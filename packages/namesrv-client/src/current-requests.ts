import type { BrokerIdentity } from './broker-identity.js';
import type { ResolvedBrokerRegistrarOptions } from './broker-registrar-options.js';
import { type RegistrationRequests, registrationRequests, type TopicsChange } from './registration-requests.js';
import { sentTopicTable } from './sent-topic-table.js';

/**
 * The requests for the table as it is now, made once for all name servers.
 *
 * @throws what the topic source throws; RemotingError `ENCODE_FAILED` when a topic cannot be written compressed
 */
export function currentRequests(
  options: ResolvedBrokerRegistrarOptions,
  identity: BrokerIdentity,
  brokerPermission: number,
  change?: TopicsChange,
): RegistrationRequests {
  const { topics, filterServerList, compressedRegister, splitRegistrationSize: size, fiveX } = options;
  const registration = {
    identity,
    topicConfigSerializeWrapper: sentTopicTable(topics.current(), brokerPermission, fiveX),
    filterServerList,
    compressed: compressedRegister,
    fiveX,
  };
  const split =
    size === undefined
      ? undefined
      : { size, nextDataVersion: () => topics.nextDataVersion?.() ?? topics.current().dataVersion };
  return registrationRequests(registration, { split, change });
}
