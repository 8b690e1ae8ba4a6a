/** Waits for `promise`, but not past `timeoutMillis`; then fails with what `describe` says. */
export function timed<T>(promise: Promise<T>, timeoutMillis: number, describe: () => string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`after ${timeoutMillis} ms: ${describe()}`)), timeoutMillis);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
