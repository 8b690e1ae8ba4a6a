const UNPAIRED_SURROGATE = /\p{Surrogate}/gu;

/**
 * The bytes of a text as Java's `getBytes(UTF_8)` makes them: an unpaired surrogate becomes `?`, where Node would write U+FFFD
 * (reference: remoting 10).
 */
export function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length === text.length) return bytes;
  const encodable = replaceUnpairedSurrogates(text);
  return encodable === text ? bytes : Buffer.from(encodable, 'utf8');
}

/** A text whose UTF-8 form is the same in Java and in Node: with `?` for each unpaired surrogate. */
export function replaceUnpairedSurrogates(text: string): string {
  return text.replace(UNPAIRED_SURROGATE, '?');
}
