import {
  RegisterBrokerRequest,
  type BrokerIdentity as RegisteredIdentity,
  sentTopicTable,
} from '@rmqns/namesrv-client';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { AgentConfig, BrokerIdentity } from './agent-config.js';

/** The fields of the identity that a registration's header has. */
export function brokerIdentity(identity: BrokerIdentity): RegisteredIdentity {
  const { clusterName, brokerName, brokerId, brokerAddr, haServerAddr, heartbeatTimeoutMillis, zoneName } = identity;
  const enableActingMaster = identity.enableActingMaster === true ? true : undefined;
  return {
    clusterName,
    brokerName,
    brokerId,
    brokerAddr,
    haServerAddr,
    heartbeatTimeoutMillis,
    zoneName,
    enableActingMaster,
  };
}

/** The registration that the agent sends for a topic table. */
export function registerRequest(
  config: AgentConfig,
  wrapper: TopicConfigSerializeWrapper,
  compressed: boolean,
): RegisterBrokerRequest {
  const { identity } = config;
  return new RegisterBrokerRequest({
    identity: brokerIdentity(identity),
    topicConfigSerializeWrapper: sentTopicTable(
      wrapper,
      identity.brokerPermission,
      identity.enableActingMaster === true,
    ),
    filterServerList: identity.filterServers,
    compressed,
    fiveX: identity.enableActingMaster === true,
  });
}
