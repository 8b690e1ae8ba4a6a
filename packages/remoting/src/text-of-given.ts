import { quoteForPeople } from './json/quote-for-people.js';

/** What anything given in place of something else is, for people, as one line of bounded length. Never throws itself. */
export function textOfGiven(value: unknown): string {
  if (typeof value === 'string') return quoteForPeople(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return Array.isArray(value) ? 'an array' : `an object (${quoteForPeople(value.constructor.name).slice(1, -1)})`;
  } catch {
    return 'an object';
  }
}
