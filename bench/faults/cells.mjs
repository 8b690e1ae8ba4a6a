import { short } from '../harness/results.mjs';

/** How findings read in a table. */

export function millisText(millis) {
  return millis >= 10_000 ? `${short(millis / 1000)} s` : `${Math.round(millis)} ms`;
}

/** When calls that were under way at `since` ended, and how. */
export function callsEndedText({ pending, ended }, since, limitMillis) {
  const total = pending + ended.length;
  if (ended.length === 0) return `never (gave up after ${millisText(limitMillis)})`;
  const last = millisText(Math.max(0, ...ended.map(({ at }) => at - since)));
  return pending === 0 ? `all within ${last}` : `${ended.length} of ${total} within ${last}, the others never`;
}

/** The errors that calls ended with, each once. */
export function errorsText(ended) {
  const errors = new Map();
  for (const { error = 'an answer' } of ended) {
    // Of errors that differ in an id or a time only, one is enough.
    const kind = error.replace(/\d+/g, '0');
    if (!errors.has(kind)) errors.set(kind, cut(error.replaceAll('|', '/')));
  }
  return errors.size === 0 ? '-' : [...errors.values()].join('; ');
}

const MOST_LETTERS = 60;

function cut(text) {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

export const watchColumns = ['server RSS MiB before, peak, after', "other client's p99 ms before, during"];

export function watchCells({ rssMiB, otherP99Millis, otherFailed, serverCrashed }) {
  const memory = [rssMiB.before, rssMiB.peak, rssMiB.after].map((value) => short(Math.round(value))).join(', ');
  const others = `${short(otherP99Millis.before)}, ${short(otherP99Millis.during)}`;
  const crashed = serverCrashed === undefined ? '' : ` (the server ended: ${serverCrashed})`;
  return [memory + crashed, otherFailed === 0 ? others : `${others}; ${otherFailed} calls failed`];
}
