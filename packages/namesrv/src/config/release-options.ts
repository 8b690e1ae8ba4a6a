import type { NamesrvOptionName } from '../namesrv-option-table.js';
import type { ResolvedNamesrvOptions } from '../namesrv-options.js';
import type { NamesrvOption } from '../option-row.js';
import { type ProfileName, profiles, releaseOrder } from '../profile.js';

/** Whether the name server of a release has the key. */
export function isOptionOfRelease({ since }: NamesrvOption, release: ProfileName): boolean {
  return since !== 'rmqns' && releaseOrder(since) <= releaseOrder(release);
}

/** An option as it is in effect: the release's own value where nothing is set and releases differ. */
export function optionOfRelease(
  options: ResolvedNamesrvOptions,
  name: NamesrvOptionName,
): string | number | boolean | undefined {
  const value = options[name];
  const { scanPeriodMillis, socketBufferBytes } = profiles[options.profile];
  if (name === 'scanNotActiveBrokerInterval') return value ?? scanPeriodMillis;
  const isBuffer = name === 'serverSocketSndBufSize' || name === 'serverSocketRcvBufSize';
  return isBuffer && value === 0 ? socketBufferBytes : value;
}
