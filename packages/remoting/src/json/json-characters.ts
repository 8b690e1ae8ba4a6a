/** Classes of characters in fastjson's dialect, by UTF-16 code. NaN, the code behind the end of a text, is in none. */

/** Space, tab, line feed, carriage return, form feed and backspace. */
export function isBlank(char: number): boolean {
  return char === 0x20 || (char >= 0x08 && char <= 0x0d && char !== 0x0b);
}

/** What may stand behind a text, and nowhere else: anything below the space, or DEL. */
export function isControl(char: number): boolean {
  return char <= 0x20 || char === 0x7f;
}

export function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** A letter, `_`, `$` or anything beyond ASCII. */
export function isIdentifierStart(char: number): boolean {
  const lower = char | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || char === 0x5f || char === 0x24 || char > 0x7f;
}

export function isIdentifierPart(char: number): boolean {
  return isIdentifierStart(char) || isDigit(char);
}
