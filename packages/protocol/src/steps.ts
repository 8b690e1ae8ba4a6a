/**
 * Work in steps, each of which takes a few milliseconds at most; what it returns is its result. Where a step yields a promise, the next is
 * not to be taken before that has resolved.
 */
export type Steps<Result> = Generator<Promise<void> | undefined, Result>;

/**
 * Does all steps of a work at once.
 *
 * @throws Error when one has to wait for something
 */
export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw new Error('this work waits for something, and cannot be done at once');
  }
}

/** A step that waits for what is done elsewhere; returns what `promise` resolves with, and throws what it rejects with. */
export function* waitFor<Result>(promise: Promise<Result>): Steps<Result> {
  const end: { settled?: PromiseSettledResult<Result> } = {};
  yield Promise.allSettled([promise]).then(([settled]) => {
    end.settled = settled;
  });
  if (end.settled === undefined) throw new Error('the step was taken before what it waits for was there');
  if (end.settled.status === 'rejected') throw end.settled.reason;
  return end.settled.value;
}
