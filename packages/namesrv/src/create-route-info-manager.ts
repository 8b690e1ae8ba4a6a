import type { EventRecorder } from './event-recorder.js';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';
import type { Profile } from './profile.js';
import { RouteInfoManager } from './routeinfo/route-info-manager.js';
import type { SlicedWork } from './sliced-work.js';

/** A group of more topics leaves in slices; fewer take a few milliseconds. */
const MAX_TOPICS_AT_ONCE = 2_000;

export interface RouteInfoManagerParts {
  readonly profile: Profile;
  readonly events: EventRecorder;
  readonly slicedWork: SlicedWork;
  /** The options as they are now. */
  readonly options: () => ResolvedNamesrvOptions;
}

/** The tables of a name server, without entries; what large groups leave behind is removed as sliced work. */
export function createRouteInfoManager(parts: RouteInfoManagerParts): RouteInfoManager {
  const { profile, events, slicedWork, options } = parts;
  const { defaultHeartbeatTimeoutMillis, scanNotActiveBrokerInterval } = options();
  const routeInfoManager = new RouteInfoManager({
    profile,
    events,
    defaultHeartbeatTimeoutMillis,
    deleteTopicWithBrokerRegistration: () => options().deleteTopicWithBrokerRegistration,
    scanPeriodMillis: scanNotActiveBrokerInterval,
    largeGroups: {
      topics: MAX_TOPICS_AT_ONCE,
      onLeft: () => void slicedWork.run([routeInfoManager], routeInfoManager.sweepInSteps()),
    },
  });
  return routeInfoManager;
}
