export { isOptionOfRelease, optionOfRelease } from './config/release-options.js';
export { NamesrvError, type NamesrvErrorCode } from './errors.js';
export { createNameServer, NameServer, type NameServerEnvironment, type NameServerEventMap } from './name-server.js';
export type { NamesrvCounters } from './namesrv-counters.js';
export type { NamesrvEvent } from './namesrv-event.js';
export {
  isSecretOption,
  type NamesrvOptionName,
  namesrvOption,
  namesrvOptionNames,
  namesrvOptionTable,
} from './namesrv-option-table.js';
export {
  describeOptionProblem,
  type NamesrvOptions,
  NamesrvOptionsError,
  type OptionProblem,
  type ParsedOption,
  parseOptionText,
  type ResolvedNamesrvOptions,
  resolveNamesrvOptions,
} from './namesrv-options.js';
export type { NamesrvOption, OptionEffect } from './option-row.js';
export type { AuditRecord } from './processor/audit.js';
export type { ProductEnvironment } from './product-routes.js';
export { type Profile, type ProfileName, profiles } from './profile.js';
export { tlsSettingsOf } from './tls-settings.js';
export type { SpawnWorker, WorkerListener, WorkerProcess } from './workers/worker-process.js';
export type { WorkerDescription } from './workers/worker-slot.js';
