import type { AgentConfig } from './agent-config.js';

/** A configuration as read: usable, or with everything that is wrong with it. */
export type LoadedConfig =
  | { readonly config: AgentConfig; readonly notes: readonly string[]; readonly problems?: undefined }
  /** `file:line key: problem` each. */
  | { readonly problems: readonly string[] };
