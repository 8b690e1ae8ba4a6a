export type { BrokerConflict } from './broker-conflict.js';
export type { BrokerIdentity } from './broker-identity.js';
export { BrokerRegistrar, type ShutdownOptions } from './broker-registrar.js';
export type { BrokerRegistrarEventMap, MasterAddresses, RegistrationRound } from './broker-registrar-events.js';
export type { BrokerProfile, BrokerRegistrarOptions, ConflictPolicy, TopicSource } from './broker-registrar-options.js';
export { CountDownLatch } from './count-down-latch.js';
export type { FanOutResult, NameServerOutcome, OnOutcome, OutcomeStatus } from './fan-out.js';
export type { MinBroker } from './min-broker-id.js';
export {
  type DataVersionAnswer,
  NameServerClient,
  type NameServerClientOptions,
  type RegisterBrokerResult,
  type RequestOptions,
} from './name-server-client.js';
export { type NeedRegisterOptions, type NeedRegisterResult, needRegister } from './need-register.js';
export {
  DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS,
  type RegisterBrokerAllOptions,
  registerBrokerAll,
} from './register-broker-all.js';
export { type BrokerRegistration, RegisterBrokerRequest } from './register-broker-request.js';
export type { TopicsChange } from './registration-requests.js';
export { sentTopicTable } from './sent-topic-table.js';
export {
  DEFAULT_UNREGISTER_BROKER_TIMEOUT_MILLIS,
  type UnregisterBrokerAllOptions,
  unregisterBrokerAll,
} from './unregister-broker-all.js';
