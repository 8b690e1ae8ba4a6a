/**
 * Which of fastjson's two ways of writing (reference: nameserver 2.7):
 * - `legacy`: its defaults. Numeric keys of maps have no quotes, map entries stay in their order, non-ASCII text is raw.
 * - `standard`: strict JSON, readable for browsers. All keys quoted, map entries sorted, all of it ASCII, integers beyond ±(2^53-1)
 *   written as strings.
 */
export type JsonDialect = 'legacy' | 'standard';

const SHORT: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  47: '\\/',
  92: '\\\\',
};

/** Texts that need no look at each character: most of them, in both dialects. */
const PLAIN = /^[ !#-.0-[\]-~]*$/;

/** A text between quotes, with what the dialect escapes escaped. */
export function quoteJson(text: string, dialect: JsonDialect): string {
  if (PLAIN.test(text)) return `"${text}"`;
  const isEscaped = dialect === 'legacy' ? isEscapedInLegacy : isEscapedInStandard;
  let result = '';
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (!isEscaped(char)) continue;
    result += text.slice(start, at) + (SHORT[char] ?? `\\u${char.toString(16).toUpperCase().padStart(4, '0')}`);
    start = at + 1;
  }
  return start === 0 ? `"${text}"` : `"${result}${text.slice(start)}"`;
}

function isEscapedInLegacy(char: number): boolean {
  if (char < 0x7f) return char < 0x20 || char === 0x22 || char === 0x5c;
  return char <= 0x9f || char === 0x2028 || char === 0x2029;
}

function isEscapedInStandard(char: number): boolean {
  return char < 0x20 || char >= 0x7f || char === 0x22 || char === 0x5c || char === 0x2f;
}
