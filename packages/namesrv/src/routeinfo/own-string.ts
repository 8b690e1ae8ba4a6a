/** Below this length V8 copies a piece of a string instead of pointing into it. */
const MIN_SLICE_LENGTH = 13;

/**
 * The same text in memory of its own. A name cut out of a request's body may be a view that keeps the whole body alive; what stays in
 * a table must not.
 */
export function ownString(text: string): string {
  if (text.length < MIN_SLICE_LENGTH) return text;
  const copy = Buffer.from(text, 'utf8').toString('utf8');
  // A lone surrogate does not survive UTF-8.
  return copy === text ? copy : text;
}
