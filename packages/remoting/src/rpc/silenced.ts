/** Makes a call's promise one that may be dropped: a failure that nobody looks at is no crash then. Who awaits it still sees it. */
export function silenced<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
