/**
 * By how much the scan is late beyond reason: the time for which this process itself did not run.
 *
 * While it stood still it could not hear the brokers, so that their silence then is no evidence (design decision 5). A scan up to one
 * period late is ordinary and counts as no stall.
 *
 * @param lastScanMillis when the scan before this one ran; `undefined` for the first.
 * @returns milliseconds by which every deadline is to be shifted, 0 as a rule.
 */
export function scanStallMillis(lastScanMillis: number | undefined, nowMillis: number, periodMillis: number): number {
  if (lastScanMillis === undefined) return 0;
  const lateMillis = nowMillis - lastScanMillis - periodMillis;
  return lateMillis > periodMillis ? lateMillis : 0;
}
