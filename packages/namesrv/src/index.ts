export { NamesrvError, type NamesrvErrorCode } from './errors.js';
export { createNameServer, NameServer, type NameServerEnvironment, type NameServerEventMap } from './name-server.js';
export type { NamesrvEvent } from './namesrv-event.js';
export {
  type NamesrvOption,
  type NamesrvOptionName,
  namesrvOption,
  namesrvOptionNames,
  namesrvOptionTable,
  type OptionEffect,
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
export { type Profile, type ProfileName, profiles } from './profile.js';
