import type { ChannelDescription, CoreDescription } from '../rpc/core-description.js';

/** What a server is doing, as plain data that can be written as JSON: for an admin page, a bug report, or a look from a debugger. */
export interface ServerDescription extends CoreDescription {
  /** `new` until it listens. */
  readonly state: 'new' | 'listening' | 'closing';
  /** `host:port` as bound; `null` before. */
  readonly address: string | null;
  /** The connections that stand. */
  readonly channels: readonly ChannelDescription[];
  /** Those made with `newRemotingServer`; a server of theirs has none. */
  readonly subServers: readonly ServerDescription[];
}
