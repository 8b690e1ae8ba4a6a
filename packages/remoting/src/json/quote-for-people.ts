/** Control characters that JSON leaves alone, line separators, and marks that turn the direction of the text around them. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const MAX_CHARACTERS = 64;

/**
 * A peer's text for an error or a log line: in quotes, at most 64 characters of it and then `…`, with what does not show or would break the
 * line escaped. So a message stays one line of bounded length whatever the peer sent.
 */
export function quoteForPeople(text: string, maxCharacters = MAX_CHARACTERS): string {
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  return JSON.stringify(shown).replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
