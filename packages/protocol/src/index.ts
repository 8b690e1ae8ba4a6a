export type { RegisterBrokerBody } from './body/register-broker-body.js';
export type { TopicConfig, TopicFilterType } from './body/topic-config.js';
export type { TopicConfigSerializeWrapper } from './body/topic-config-serialize-wrapper.js';
export { type DataVersion, sameDataVersion } from './data-version.js';
export type { BrokerData } from './route/broker-data.js';
export { type QueueData, sameQueueData } from './route/queue-data.js';
export type { TopicQueueMappingInfo } from './route/topic-queue-mapping-info.js';
export type { TopicRouteData } from './route/topic-route-data.js';
