export { bodyCrc32 } from './body/body-crc32.js';
export {
  type BrokerMemberGroup,
  decodeBrokerMemberGroup,
  encodeBrokerMemberGroup,
} from './body/broker-member-group.js';
export { type ChangedTopics, changedTopics, TopicComparison } from './body/changed-topics.js';
export { type ClusterInfo, decodeClusterInfo, encodeClusterInfo } from './body/cluster-info.js';
export { decodeDataVersion, encodeDataVersion } from './body/data-version-json.js';
export { decodeKvConfig, encodeKvConfig, type KvConfigTable } from './body/kv-config-serialize-wrapper.js';
export { decodeKvTable, encodeKvTable } from './body/kv-table.js';
export type { RegisterBrokerBody } from './body/register-broker-body.js';
export {
  type DecodeRegisterBrokerBodyOptions,
  decodePlainRegisterBrokerBody,
  decodePlainRegisterBrokerBodyInSteps,
  decodeRegisterBrokerBody,
  decodeTopicConfigSerializeWrapper,
  type EncodeRegisterBrokerBodyOptions,
  encodeRegisterBrokerBody,
  inflateRegisterBrokerBody,
  inflateRegisterBrokerBodyInSteps,
  type PlainRegisterBrokerBody,
} from './body/register-broker-body-codec.js';
export {
  digestRegisterBrokerBody,
  type RegisterBrokerBodyDigest,
  sameRegisterBrokerBody,
} from './body/register-broker-body-digest.js';
export type { TopicConfig, TopicFilterType } from './body/topic-config.js';
export type { TopicConfigSerializeWrapper } from './body/topic-config-serialize-wrapper.js';
export { decodeTopicConfigText, encodeTopicConfigText } from './body/topic-config-text.js';
export { decodeTopicList, encodeTopicList, type TopicList } from './body/topic-list.js';
export { TopicSlices } from './body/topic-slices.js';
export { MASTER_ID } from './broker-id.js';
export { type DataVersion, sameDataVersion } from './data-version.js';
export { editProperties } from './edit-properties.js';
export { AddWritePermOfBroker } from './header/add-write-perm-of-broker.js';
export { BrokerHeartbeat } from './header/broker-heartbeat.js';
export { DeleteKvConfig } from './header/delete-kv-config.js';
export { DeleteTopicInNamesrv } from './header/delete-topic-in-namesrv.js';
export { GetAllTopicListFromNameserver } from './header/get-all-topic-list-from-nameserver.js';
export { GetBrokerClusterInfo } from './header/get-broker-cluster-info.js';
export { GetBrokerMemberGroup } from './header/get-broker-member-group.js';
export { GetHasUnitSubTopicList } from './header/get-has-unit-sub-topic-list.js';
export { GetHasUnitSubUnunitTopicList } from './header/get-has-unit-sub-ununit-topic-list.js';
export { GetKvConfig } from './header/get-kv-config.js';
export { GetKvListByNamespace } from './header/get-kv-list-by-namespace.js';
export { GetNamesrvConfig } from './header/get-namesrv-config.js';
export { GetRouteInfoByTopic } from './header/get-route-info-by-topic.js';
export { GetSystemTopicListFromNs } from './header/get-system-topic-list-from-ns.js';
export { GetTopicsByCluster } from './header/get-topics-by-cluster.js';
export { GetUnitTopicList } from './header/get-unit-topic-list.js';
export { NotifyMinBrokerIdChange } from './header/notify-min-broker-id-change.js';
export { PutKvConfig } from './header/put-kv-config.js';
export { QueryDataVersion } from './header/query-data-version.js';
export { RegisterBroker } from './header/register-broker.js';
export { RegisterTopicInNamesrv } from './header/register-topic-in-namesrv.js';
export { UnregisterBroker } from './header/unregister-broker.js';
export { UpdateNamesrvConfig } from './header/update-namesrv-config.js';
export { WipeWritePermOfBroker } from './header/wipe-write-perm-of-broker.js';
export { ORDER_TOPIC_CONFIG } from './kv-namespace.js';
export { MqVersion, versionName, versionOrdinal } from './mq-version.js';
export { isInherited, isReadable, isWritable, PermName, permToString } from './perm-name.js';
export {
  decodePropertiesBytes,
  type ParsedProperties,
  type PropertiesEntry,
  type PropertiesProblem,
  parseProperties,
} from './properties.js';
export { RequestCode, requestCodeName } from './request-code.js';
export { ResponseCode, responseCodeName } from './response-code.js';
export type { BrokerData } from './route/broker-data.js';
export { type QueueData, sameQueueData } from './route/queue-data.js';
export type { RouteDialect } from './route/route-dialect.js';
export type { TopicQueueMappingInfo } from './route/topic-queue-mapping-info.js';
export type { TopicRouteData } from './route/topic-route-data.js';
export { decodeTopicRouteData, encodeTopicRouteData } from './route/topic-route-data-json.js';
export { allAtOnce, type Steps } from './steps.js';
export { hasUnitFlag, hasUnitSubFlag, TopicSysFlag } from './topic-sys-flag.js';
