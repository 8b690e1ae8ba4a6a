/** What making shorter may cost, shared by its passes. */
export interface ShrinkBudget {
  runs: number;
}

/** Whether a shorter sequence fails as the whole did. */
export type StillFails<T> = (candidate: readonly T[]) => Promise<boolean>;

/** Takes away, if it can, all items of one kind at once, kind by kind; `undefined` is the kind of what stays. */
export async function shrinkByKind<T>(
  items: readonly T[],
  kindOf: (item: T) => string | undefined,
  stillFails: StillFails<T>,
  budget: ShrinkBudget,
): Promise<readonly T[]> {
  let failing = items;
  for (const kind of new Set(items.map(kindOf))) {
    if (kind === undefined || budget.runs <= 0) continue;
    const candidate = failing.filter((item, index) => kindOf(item) !== kind || index === failing.length - 1);
    if (candidate.length === failing.length) continue;
    budget.runs -= 1;
    if (await stillFails(candidate)) failing = candidate;
  }
  return failing;
}

/**
 * Takes away pieces of a failing sequence, smaller and smaller ones, as long as it still fails (delta debugging). Ends when no single item
 * but the last, which is what fails, can go.
 */
export async function shrink<T>(
  items: readonly T[],
  stillFails: StillFails<T>,
  budget: ShrinkBudget,
): Promise<readonly T[]> {
  let failing = items;
  for (let size = Math.ceil(failing.length / 2); size >= 1; size = Math.floor(size / 2)) {
    let removed = true;
    while (removed && budget.runs > 0) {
      removed = false;
      for (let end = failing.length - 1; end > 0 && budget.runs > 0; end -= size) {
        const candidate = [...failing.slice(0, Math.max(0, end - size)), ...failing.slice(end)];
        budget.runs -= 1;
        if (!(await stillFails(candidate))) continue;
        failing = candidate;
        removed = true;
      }
      // Only single items are tried again: what they hung on may be gone.
      if (size > 1) break;
    }
  }
  return failing;
}
