import { DecodeError } from '../errors.js';
import { isBlank, isControl, isDigit, isIdentifierPart, isIdentifierStart } from './json-characters.js';
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from './json-value.js';
import { quoteForPeople } from './quote-for-people.js';

/** More digits than that are no number of any use here, and turning them into one costs more than linear time. */
const MAX_INTEGER_DIGITS = 1000;

/** How many characters of a string with escapes are put together at once. */
const PIECE = 4096;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const ASTERISK = 0x2a;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LITERALS: readonly (readonly [text: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', null],
];

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  F: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\u0000',
  '1': '\u0001',
  '2': '\u0002',
  '3': '\u0003',
  '4': '\u0004',
  '5': '\u0005',
  '6': '\u0006',
  '7': '\u0007',
};

/** Reads one text of fastjson's dialect, in one pass and in time linear to its length. See `parseFastJson` for what it accepts. */
export class FastJsonParser {
  readonly #text: string;
  readonly #maxValues: number;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, maxValues = Infinity) {
    this.#text = text;
    this.#maxValues = maxValues;
  }

  /** @throws DecodeError with the position and what stands there */
  parse(): JsonValue {
    this.#skipBlanks();
    if (this.#at === this.#text.length) return null;
    const value = this.#value();
    this.#skipBlanks();
    // As where a text of C came with its end.
    while (isControl(this.#peek())) this.#at++;
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text');
    return value;
  }

  #value(): JsonValue {
    if (++this.#values > this.#maxValues) throw this.#wrong(`more than ${this.#maxValues} values`);
    const char = this.#peek();
    if (char === OPEN_OBJECT) return this.#object();
    if (char === OPEN_ARRAY) return this.#array();
    if (char === QUOTE || char === APOSTROPHE) return this.#string(char);
    if (isDigit(char) || char === MINUS || char === PLUS) return this.#number();
    for (const [text, value] of LITERALS) {
      const end = this.#at + text.length;
      if (this.#text.startsWith(text, this.#at) && !isIdentifierPart(this.#text.charCodeAt(end))) {
        this.#at = end;
        return value;
      }
    }
    throw this.#unexpected('a value');
  }

  #object(): JsonObject {
    const object: Record<string, JsonValue> = {};
    this.#enter();
    for (this.#skipCommas(); this.#peek() !== CLOSE_OBJECT; this.#endItem(CLOSE_OBJECT, '"," or "}"')) {
      const name = this.#name();
      this.#skipBlanks();
      if (this.#peek() !== COLON) throw this.#unexpected('":"');
      this.#at++;
      this.#skipBlanks();
      const value = this.#value();
      // Assigning to __proto__ would set the prototype instead of a member.
      if (name === '__proto__')
        Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
      else object[name] = value;
    }
    this.#leave();
    return object;
  }

  #array(): JsonValue[] {
    const array: JsonValue[] = [];
    this.#enter();
    for (this.#skipCommas(); this.#peek() !== CLOSE_ARRAY; this.#endItem(CLOSE_ARRAY, '"," or "]"'))
      array.push(this.#value());
    this.#leave();
    return array;
  }

  #enter(): void {
    if (++this.#depth > MAX_JSON_DEPTH) throw this.#wrong(`nested more than ${MAX_JSON_DEPTH} deep`);
    this.#at++;
  }

  #leave(): void {
    this.#depth--;
    this.#at++;
  }

  #endItem(close: number, expected: string): void {
    this.#skipBlanks();
    const char = this.#peek();
    if (char === COMMA) this.#skipCommas();
    else if (char !== close) throw this.#unexpected(expected);
  }

  /** A member's name. A number is written as Java prints it, so that `01` and `1` are one name. */
  #name(): string {
    const char = this.#peek();
    if (char === QUOTE || char === APOSTROPHE) return this.#string(char);
    const start = this.#at;
    if (isDigit(char) || char === MINUS) {
      const value = this.#number();
      const text = this.#text.slice(start, this.#at);
      return /[.eE]/.test(text) ? text : String(value);
    }
    if (!isIdentifierStart(char)) throw this.#unexpected('a name');
    while (isIdentifierPart(this.#peek())) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #number(): number | bigint {
    const start = this.#at;
    const sign = this.#peek();
    if (sign === MINUS || sign === PLUS) this.#at++;
    const digits = this.#at;
    this.#skipDigits('a digit');
    const end = this.#at;
    if (this.#peek() === POINT) {
      this.#at++;
      while (isDigit(this.#peek())) this.#at++;
    }
    if ((this.#peek() | 0x20) === 0x65) {
      this.#at++;
      if (this.#peek() === MINUS || this.#peek() === PLUS) this.#at++;
      this.#skipDigits('a digit of the exponent');
    }
    if (this.#at > end) return Number(this.#text.slice(start, this.#at));
    return this.#integer(digits, end, sign === MINUS);
  }

  #integer(start: number, end: number, negative: boolean): number | bigint {
    let first = start;
    while (first < end - 1 && this.#text.charCodeAt(first) === 0x30) first++;
    if (end - first > MAX_INTEGER_DIGITS) {
      this.#at = start;
      throw this.#wrong(`an integer of ${end - first} digits`);
    }
    const digits = this.#text.slice(first, end);
    const magnitude = Number(digits);
    // 0 - 0 is 0: an integer has no negative zero.
    if (Number.isSafeInteger(magnitude)) return negative ? 0 - magnitude : magnitude;
    return negative ? -BigInt(digits) : BigInt(digits);
  }

  #skipDigits(expected: string): void {
    if (!isDigit(this.#peek())) throw this.#unexpected(expected);
    while (isDigit(this.#peek())) this.#at++;
  }

  #string(quote: number): string {
    const start = ++this.#at;
    for (;;) {
      const char = this.#peek();
      if (char === quote) return ownText(this.#text.slice(start, this.#at++));
      if (char === BACKSLASH) return this.#escapedString(start, quote);
      if (Number.isNaN(char)) throw this.#unexpected('the end of a string');
      this.#at++;
    }
  }

  /**
   * A string from its first escape on. Gathered in pieces of some thousand characters: adding them one at a time to a string costs up to
   * 64 bytes of memory for each.
   */
  #escapedString(start: number, quote: number): string {
    let result = this.#text.slice(start, this.#at);
    let codes: number[] = [];
    for (let char = this.#peek(); char !== quote; char = this.#peek()) {
      if (Number.isNaN(char)) throw this.#unexpected('the end of a string');
      this.#at++;
      codes.push(char === BACKSLASH ? this.#escape() : char);
      if (codes.length === PIECE) {
        result += String.fromCharCode(...codes);
        codes = [];
      }
    }
    this.#at++;
    return ownText(result + String.fromCharCode(...codes));
  }

  /** The code of an escaped character. */
  #escape(): number {
    const letter = this.#text.charAt(this.#at);
    if (letter === 'u') return this.#hexadecimal(4);
    if (letter === 'x') return this.#hexadecimal(2);
    const char = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter]?.charCodeAt(0) : undefined;
    if (char === undefined) throw this.#unexpected('an escape');
    this.#at++;
    return char;
  }

  #hexadecimal(length: number): number {
    const digits = this.#text.slice(this.#at + 1, this.#at + 1 + length);
    if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits))
      throw this.#unexpected(`an escape with ${length} hexadecimal digits`);
    this.#at += 1 + length;
    return Number.parseInt(digits, 16);
  }

  #skipCommas(): void {
    this.#skipBlanks();
    while (this.#peek() === COMMA) {
      this.#at++;
      this.#skipBlanks();
    }
  }

  #skipBlanks(): void {
    for (;;) {
      const char = this.#peek();
      if (isBlank(char)) this.#at++;
      else if (char === SLASH) this.#comment();
      else return;
    }
  }

  #comment(): void {
    const kind = this.#text.charCodeAt(this.#at + 1);
    if (kind === SLASH) {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#text.length : end + 1;
    } else if (kind === ASTERISK) {
      const end = this.#text.indexOf('*/', this.#at + 2);
      if (end < 0) throw this.#wrong('a comment without end');
      this.#at = end + 2;
    } else throw this.#unexpected('a comment');
  }

  /** The code of the current character; NaN at the end of the text, which compares as nothing. */
  #peek(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #unexpected(expected: string): DecodeError {
    const rest = this.#text.slice(this.#at, this.#at + 16);
    const found = rest === '' ? 'its end' : quoteForPeople(rest);
    return this.#wrong(`expected ${expected}, found ${found}`);
  }

  #wrong(problem: string): DecodeError {
    return new DecodeError(`the JSON text is wrong at character ${this.#at} of ${this.#text.length}: ${problem}`);
  }
}

/** A slice of 13 characters and more would keep the whole text in memory for as long as the string lives; a copy does not. */
function ownText(slice: string): string {
  return slice.length < 13 ? slice : ` ${slice}`.slice(1);
}
