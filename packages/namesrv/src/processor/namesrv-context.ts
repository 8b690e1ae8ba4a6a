import type { Clock, Logger } from '@rmqns/remoting';
import type { BatchUnregistration } from '../batch-unregistration.js';
import type { NamesrvConfiguration } from '../config/namesrv-configuration.js';
import type { KvConfigManager } from '../kvconfig/kv-config-manager.js';
import type { NamesrvCounters } from '../namesrv-counters.js';
import type { ResolvedNamesrvOptions } from '../namesrv-options.js';
import type { ProductRoutes } from '../product-routes.js';
import type { Profile } from '../profile.js';
import type { RouteInfoManager } from '../routeinfo/route-info-manager.js';
import type { SlicedWork } from '../sliced-work.js';
import type { AuditRecord } from './audit.js';
import { KeptAnswers } from './kept-answers.js';
import type { Registrars } from './registrars.js';
import { RouteLookups } from './route-lookups.js';

/** What a name server gives its processor to work on. */
export interface NamesrvParts {
  readonly profile: Profile;
  /** The options as they are now; asked at each request, since some may change while the server runs. */
  readonly options: () => ResolvedNamesrvOptions;
  /** True once the server is to stop and serves only what is still under way. */
  readonly isStopping: () => boolean;
  /** Where routes are asked for that are not known here; `undefined` but in a cluster-test server. */
  readonly productRoutes: ProductRoutes | undefined;
  /** Who may register brokers. */
  readonly registrars: Registrars;
  /** What codes 318 and 319 change and show. */
  readonly configuration: NamesrvConfiguration;
  /** Writes changed options to their file. */
  readonly persistConfig: (values: ReadonlyMap<string, string>) => Promise<void>;
  readonly clock: Clock;
  /** When the server was made, by the clock's monotonic time. */
  readonly constructedMillis: number;
  readonly logger: Logger;
  readonly counters: NamesrvCounters;
  readonly slicedWork: SlicedWork;
  /** What was answered and is still to be carried out, in profile 5.3.3. */
  readonly unregistrations: BatchUnregistration;
  readonly routeInfoManager: RouteInfoManager;
  readonly kvConfigManager: KvConfigManager;
  /** Writes the KV config to its file; resolves when a state at least as new as the present one is there. */
  readonly persistKvConfig: () => Promise<void>;
  /** Told of each request that is to be on record, once it is answered. */
  readonly audit: (record: AuditRecord) => void;
}

/** What the handlers of requests work on: that, and what is kept from one request to the next. */
export interface NamesrvContext extends NamesrvParts {
  readonly routeLookups: RouteLookups;
  /** Bodies of answers to 106. */
  readonly clusterInfoAnswers: KeptAnswers;
  /** Bodies of answers that are lists of topics. */
  readonly topicListAnswers: KeptAnswers;
  /** Bodies of answers that are KV tables, by namespace. */
  readonly kvTableAnswers: KeptAnswers;
}

/** With nothing kept yet. */
export function createNamesrvContext(parts: NamesrvParts): NamesrvContext {
  return {
    ...parts,
    routeLookups: new RouteLookups(),
    clusterInfoAnswers: new KeptAnswers(),
    topicListAnswers: new KeptAnswers(),
    kvTableAnswers: new KeptAnswers(),
  };
}
