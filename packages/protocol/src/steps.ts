/** Work in steps, each of which takes a few milliseconds at most; what it returns is its result. */
export type Steps<Result> = Generator<void, Result>;

/** Does all steps of a work at once. */
export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
