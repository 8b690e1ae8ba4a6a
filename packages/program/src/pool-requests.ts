/** Lookups of names and operations on files: what the thread pool has to do that can take forever. */
const POOL_REQUEST = /^(?:GetAddrInfo|GetNameInfo|FSReq)/;

/**
 * Whether `process.exit` may wait: it joins the threads of the pool, and a thread comes back only when the name server of DNS or the file
 * system answers.
 *
 * @param resources what `process.getActiveResourcesInfo()` tells
 */
export function hasPoolRequests(resources: readonly string[]): boolean {
  return resources.some((resource) => POOL_REQUEST.test(resource));
}
