import type { ExtFields, ExtFieldsSource } from '../command/remoting-command.js';
import { nameIn } from './known-names.js';
import { KnownTexts } from './known-texts.js';
import { MAX_EXT_FIELDS } from './max-ext-fields.js';

// The parts of JSON headers as known clients write them: compact, plain ASCII. Each function reads one where it lies and returns where it
// ends, or 0 when it is of another kind, be that right or wrong.

const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;

/** Of longer ext fields each value is a text of its own. */
const MAX_SHARED_TEXT = 2048;

const PROTO = Buffer.from('"__proto__"');

/** Whether these bytes are there. What lies behind the header is no part of it, but holds none of the names' ends unseen. */
export function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** What {@link endOfInteger} read: a second result without an object for it. */
export let integer = 0;

/** Reads an integer of 32 bits as JSON has it. A fraction or an exponent is found by the caller, where a comma or brace must be. */
export function endOfInteger(bytes: Buffer, from: number, end: number): number {
  const negative = bytes[from] === MINUS;
  const first = negative ? from + 1 : from;
  let at = first;
  let value = 0;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    if (at - first === 10) return 0;
    value = value * 10 + digit;
  }
  integer = negative ? 0 - value : value;
  if (at === first || integer !== (integer | 0)) return 0;
  if (at - first > 1 && bytes[first] === ZERO) return 0;
  return at;
}

/** Reads a text that began before `from`, with its closing quotation mark. */
export function endOfText(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return 0;
  }
  return 0;
}

/** Reads the members of `extFields`, all texts, with their closing brace. */
export function endOfExtFields(bytes: Buffer, from: number, end: number): number {
  if (from < end && bytes[from] === CLOSE_BRACE) return from + 1;
  let fields = 0;
  for (let at = from; at < end; at++) {
    if (bytes[at] !== QUOTE || ++fields > MAX_EXT_FIELDS) return 0;
    const name = at;
    at = endOfText(bytes, at + 1, end);
    if (at === 0 || bytes[at] !== COLON || bytes[at + 1] !== QUOTE) return 0;
    // The one name that is no ordinary member of an object with a prototype.
    if (at - name === PROTO.length && isAt(bytes, name, PROTO)) return 0;
    at = endOfText(bytes, at + 2, end);
    if (at === 0 || at >= end) return 0;
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return 0;
  }
  return 0;
}

/**
 * Makes objects that inherit nothing, so that a field named `constructor` is there only when it came. `Object.create(null)` would do the
 * same, and cost more than all the rest.
 */
const PlainFields = function PlainFields() {} as unknown as new () => ExtFields;
PlainFields.prototype = Object.create(null);

const texts = new KnownTexts();

/** Ext fields that {@link endOfExtFields} has read, and that wait in their bytes. */
export class PlainExtFields implements ExtFieldsSource {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  get text(): string | undefined {
    return this.#end - this.#start <= MAX_SHARED_TEXT ? texts.in(this.#bytes, this.#start, this.#end) : undefined;
  }

  read(): ExtFields {
    const bytes = this.#bytes;
    const start = this.#start;
    const fields = new PlainFields();
    // One text for all: to make one of each value costs far more, but a value that somebody keeps then keeps all of it.
    const text = this.#end - start <= MAX_SHARED_TEXT ? bytes.toString('latin1', start, this.#end) : undefined;
    for (let at = start; bytes[at] === QUOTE; at++) {
      const nameEnd = nextQuote(bytes, at + 1);
      const valueEnd = nextQuote(bytes, nameEnd + 3);
      const valueStart = nameEnd + 3;
      fields[nameIn(bytes, at + 1, nameEnd)] =
        text?.slice(valueStart - start, valueEnd - start) ?? bytes.toString('latin1', valueStart, valueEnd);
      at = valueEnd + 1;
    }
    return fields;
  }
}

function nextQuote(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] !== QUOTE) at++;
  return at;
}
