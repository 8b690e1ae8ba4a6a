/** The candidate that `name` was most likely meant to be; `undefined` when none is near. Case does not count. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const typed = name.toLowerCase();
  let nearest: string | undefined;
  // One slip in three characters is still a slip; more is another word.
  let best = Math.floor(typed.length / 3) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= best) continue;
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replace = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      let distance = Math.min(replace, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        distance = Math.min(distance, (beforeLast[column - 2] ?? Number.POSITIVE_INFINITY) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
