import { DecodeError } from '../errors.js';
import { isBlank, isControl, isDigit, isIdentifierPart, isIdentifierStart } from './json-characters.js';
import { type JsonShape, propertyOf } from './json-shape.js';
import { type JsonValue, MAX_JSON_DEPTH } from './json-value.js';
import { quoteForPeople } from './quote-for-people.js';

/** More digits than that are no number of any use here, and turning them into one costs more than linear time. */
const MAX_INTEGER_DIGITS = 1000;

/** How many characters of a string with escapes are put together at once. */
const PIECE = 4096;

const LINE_FEED = 0x0a;
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

/** What a parser is about to read. Blanks and comments come before all but the last three. */
const FIRST = 0;
const VALUE = 1;
/** The next item of an array or member of an object, or its end. */
const ITEM = 2;
const COLON_OF_MEMBER = 3;
const BEHIND_ITEM = 4;
const BEHIND_VALUE = 5;
const CONTROLS = 6;
/** The rest of a text in quotes. */
const TEXT = 7;
const END = 8;

/** Of a value of which nothing is wanted but that it is there. */
const NO_SHAPE: JsonShape = {};

/** An array or object whose end has not come. */
interface Open {
  readonly value: JsonValue[] | Record<string, JsonValue> | Map<string, JsonValue>;
  readonly close: number;
  /** Absent where all is wanted. */
  readonly shape: JsonShape | undefined;
  /** How many values there may be when it has ended. */
  readonly maxValues: number;
  readonly outer: Open | undefined;
  /** 1 for the outermost. */
  readonly depth: number;
  /** The name of the member that is being read; `undefined` for one that is not wanted. */
  name: string | undefined;
}

/**
 * Reads one text of fastjson's dialect, in one pass and in time linear to its length. See `parseFastJson` for what it accepts.
 *
 * It may pause anywhere but within a number and a name without quotes.
 */
export class FastJsonParser {
  readonly #text: string;
  /** Of the array or object that is open; see {@link JsonShape.wholeUpTo}. */
  #maxValues: number;
  #at = 0;
  #values = 0;
  /** Where it is to pause. */
  #pause = 0;
  #next = FIRST;
  /** The innermost. */
  #open: Open | undefined;
  /** Of the value that comes next. */
  #shape: JsonShape | undefined;
  #value: JsonValue = null;
  #isName = false;
  #quote = QUOTE;
  /** Where a text begins. */
  #start = 0;
  /** A text with escapes up to the piece that is being read; {@link #codes} has that piece, and is absent before the first escape. */
  #pieces = '';
  #codes: number[] | undefined;
  /** The character behind the slash of a comment, which begins at {@link #commentStart}; 0 outside of one. */
  #comment = 0;
  #commentStart = 0;

  /** @param shape what is wanted of the value; absent: all */
  constructor(text: string, maxValues = Infinity, shape?: JsonShape) {
    this.#text = text;
    this.#maxValues = maxValues;
    this.#shape = shape;
  }

  /** @throws DecodeError with the position and what stands there */
  parse(): JsonValue {
    this.advance();
    return this.#value;
  }

  /** What was read, once {@link advance} has returned true. */
  get value(): JsonValue {
    return this.#value;
  }

  /**
   * Goes on over about so many characters; true at the end.
   *
   * @throws DecodeError with the position and what stands there
   */
  advance(length = Infinity): boolean {
    this.#pause = Math.min(this.#at + length, this.#text.length + 1);
    while (this.#next !== END) if (!this.#step()) return false;
    return true;
  }

  /** False where it paused. */
  #step(): boolean {
    const next = this.#next;
    if (next === TEXT) return this.#goOnWithText();
    if (next === CONTROLS) return this.#skipControls();
    if (!this.#skipBlanks(next === ITEM)) return false;
    if (next === ITEM) this.#readItem(this.#open as Open);
    else if (next === BEHIND_ITEM) this.#readBehindItem(this.#open as Open);
    else if (next === VALUE) this.#readValue();
    else if (next === COLON_OF_MEMBER) this.#readColon();
    else if (next === BEHIND_VALUE) this.#next = CONTROLS;
    else this.#next = this.#at === this.#text.length ? END : VALUE;
    return true;
  }

  #readColon(): void {
    if (this.#peek() !== COLON) throw this.#unexpected('":"');
    this.#at++;
    this.#next = VALUE;
  }

  #readValue(): void {
    if (++this.#values > this.#maxValues) throw this.#wrong(`more than ${this.#maxValues} values`);
    const char = this.#peek();
    if (char === QUOTE || char === APOSTROPHE) this.#beginText(char, false);
    else if (char === OPEN_OBJECT) this.#enter(this.#shape?.entries === undefined ? {} : new Map(), CLOSE_OBJECT);
    else if (char === OPEN_ARRAY) this.#enter([], CLOSE_ARRAY);
    else if (isDigit(char) || char === MINUS || char === PLUS) this.#put(this.#number());
    else this.#put(this.#literal());
  }

  #literal(): boolean | null {
    for (const [text, value] of LITERALS) {
      const end = this.#at + text.length;
      if (this.#text.startsWith(text, this.#at) && !isIdentifierPart(this.#text.charCodeAt(end))) {
        this.#at = end;
        return value;
      }
    }
    throw this.#unexpected('a value');
  }

  #enter(value: Open['value'], close: number): void {
    const outer = this.#open;
    const depth = outer === undefined ? 1 : outer.depth + 1;
    if (depth > MAX_JSON_DEPTH) throw this.#wrong(`nested more than ${MAX_JSON_DEPTH} deep`);
    const maxValues = this.#maxValues;
    let shape = this.#shape;
    if (shape?.wholeUpTo !== undefined) {
      this.#maxValues = Math.min(maxValues, this.#values + shape.wholeUpTo);
      shape = undefined;
    }
    this.#open = { value, close, shape, maxValues, outer, depth, name: undefined };
    this.#at++;
    this.#next = ITEM;
  }

  #readItem(open: Open): void {
    if (this.#peek() === open.close) {
      this.#at++;
      this.#open = open.outer;
      this.#maxValues = open.maxValues;
      this.#put(open.value as JsonValue);
    } else if (open.close === CLOSE_OBJECT) this.#readName();
    else {
      this.#shape = open.shape && (open.shape.items ?? NO_SHAPE);
      this.#next = VALUE;
    }
  }

  #readBehindItem(open: Open): void {
    const char = this.#peek();
    if (char !== COMMA && char !== open.close) {
      throw this.#unexpected(open.close === CLOSE_OBJECT ? '"," or "}"' : '"," or "]"');
    }
    this.#next = ITEM;
  }

  /** Puts a value that has been read where it belongs. */
  #put(value: JsonValue): void {
    const open = this.#open;
    if (open === undefined) {
      this.#value = value;
      this.#next = BEHIND_VALUE;
      return;
    }
    this.#next = BEHIND_ITEM;
    const { value: container, name, shape } = open;
    if (Array.isArray(container)) {
      if (shape === undefined || shape.items !== undefined) container.push(value);
      else container[0] = null;
    } else if (name === undefined) return;
    else if (container instanceof Map) {
      container.set(name, value);
      const { maxEntries = Infinity } = shape ?? NO_SHAPE;
      if (container.size > maxEntries) {
        throw this.#wrong(`${open.outer?.name ?? 'an object'} holds more than ${maxEntries} members`);
      }
    }
    // Assigning to __proto__ would set the prototype instead of a member.
    else if (name === '__proto__')
      Object.defineProperty(container, name, { value, configurable: true, enumerable: true, writable: true });
    else container[name] = value;
  }

  /** Names the member whose value comes next. */
  #putName(name: string): void {
    const open = this.#open as Open;
    const { shape } = open;
    open.name = name;
    this.#shape = shape?.entries;
    if (shape !== undefined && shape.entries === undefined) {
      const property = shape.properties && propertyOf(shape.properties, name);
      open.name = property?.[0];
      this.#shape = property?.[1] ?? NO_SHAPE;
    }
    this.#next = COLON_OF_MEMBER;
  }

  /** A member's name. A number is written as Java prints it, so that `01` and `1` are one name. */
  #readName(): void {
    const char = this.#peek();
    const start = this.#at;
    if (char === QUOTE || char === APOSTROPHE) this.#beginText(char, true);
    else if (isDigit(char) || char === MINUS) {
      const value = this.#number();
      const text = this.#text.slice(start, this.#at);
      this.#putName(/[.eE]/.test(text) ? text : String(value));
    } else if (isIdentifierStart(char)) {
      const text = this.#text;
      let end = start + 1;
      while (isIdentifierPart(text.charCodeAt(end))) end++;
      this.#at = end;
      this.#putName(text.slice(start, end));
    } else throw this.#unexpected('a name');
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
      this.#skipAnyDigits();
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
    this.#skipAnyDigits();
  }

  #skipAnyDigits(): void {
    const text = this.#text;
    let at = this.#at;
    while (isDigit(text.charCodeAt(at))) at++;
    this.#at = at;
  }

  #beginText(quote: number, isName: boolean): void {
    this.#quote = quote;
    this.#isName = isName;
    this.#start = ++this.#at;
    this.#next = TEXT;
    this.#goOnWithText();
  }

  #goOnWithText(): boolean {
    const text = this.#codes === undefined ? this.#plainText() : this.#escapedText(this.#codes);
    if (text === undefined) {
      if (this.#at >= this.#text.length) throw this.#unexpected('the end of a string');
      return this.#at < this.#pause;
    }
    if (this.#isName) this.#putName(text);
    else this.#put(text);
    return true;
  }

  /** A text that ends before the pause and the first escape. */
  #plainText(): string | undefined {
    const text = this.#text;
    const quote = this.#quote;
    const end = Math.min(this.#pause, text.length);
    let at = this.#at;
    let char = 0;
    while (at < end) {
      char = text.charCodeAt(at);
      if (char === quote || char === BACKSLASH) break;
      at++;
    }
    this.#at = at;
    if (at === end) return undefined;
    const plain = text.slice(this.#start, at);
    if (char === quote) {
      this.#at++;
      return ownText(plain);
    }
    this.#pieces = plain;
    this.#codes = [];
    return undefined;
  }

  /**
   * A text that ends before the pause, from its first escape on. Gathered in pieces of some thousand characters: adding them one at a time to
   * a string costs up to 64 bytes of memory for each.
   */
  #escapedText(codes: number[]): string | undefined {
    const end = Math.min(this.#pause, this.#text.length);
    while (this.#at < end) {
      const char = this.#peek();
      this.#at++;
      const isEnd = char === this.#quote;
      if (!isEnd) codes.push(char === BACKSLASH ? this.#escape() : char);
      if (!isEnd && codes.length < PIECE) continue;
      this.#pieces += String.fromCharCode(...codes);
      codes.length = 0;
      if (!isEnd) continue;
      this.#codes = undefined;
      return ownText(this.#pieces);
    }
    return undefined;
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

  /** Skips blanks and comments, and commas where they may stand; false where it paused. */
  #skipBlanks(orCommas: boolean): boolean {
    while (this.#at < this.#pause) {
      const char = this.#peek();
      if (this.#comment !== 0) this.#goOnWithComment(this.#comment === SLASH);
      else if (isBlank(char) || (orCommas && char === COMMA)) this.#at++;
      else if (char === SLASH) this.#beginComment();
      else return true;
    }
    return false;
  }

  #beginComment(): void {
    const kind = this.#text.charCodeAt(this.#at + 1);
    if (kind !== SLASH && kind !== ASTERISK) throw this.#unexpected('a comment');
    this.#comment = kind;
    this.#commentStart = this.#at;
    this.#at += 2;
  }

  #goOnWithComment(isLine: boolean): void {
    const end = Math.min(this.#pause, this.#text.length);
    for (; this.#at < end; this.#at++) {
      const char = this.#peek();
      if (isLine ? char !== LINE_FEED : char !== ASTERISK || this.#text.charCodeAt(this.#at + 1) !== SLASH) continue;
      this.#at += isLine ? 1 : 2;
      this.#comment = 0;
      return;
    }
    if (this.#at < this.#text.length) return;
    if (!isLine) {
      this.#at = this.#commentStart;
      throw this.#wrong('a comment without end');
    }
    this.#comment = 0;
  }

  /** Skips what may follow as where a text of C came with its end; nothing else may stand there. */
  #skipControls(): boolean {
    while (this.#at < this.#pause && isControl(this.#peek())) this.#at++;
    if (this.#at >= this.#pause) return false;
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text');
    this.#next = END;
    return true;
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
