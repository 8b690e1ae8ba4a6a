import type { Clock, Logger } from '@rmqns/remoting';
import type { KvConfigManager } from '../kvconfig/kv-config-manager.js';
import type { ResolvedNamesrvOptions } from '../namesrv-options.js';
import type { Profile } from '../profile.js';
import type { RouteInfoManager } from '../routeinfo/route-info-manager.js';

/** What the processors of a name server work on. */
export interface NamesrvContext {
  readonly profile: Profile;
  readonly options: ResolvedNamesrvOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly routeInfoManager: RouteInfoManager;
  readonly kvConfigManager: KvConfigManager;
  /** Writes the KV config to its file; resolves when a state at least as new as the present one is there. */
  readonly persistKvConfig: () => Promise<void>;
}
