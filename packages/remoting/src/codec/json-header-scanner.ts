import { isLanguageName, type LanguageName } from '../command/language-code.js';
import { type ExtFields, type ExtFieldsSource, RemotingCommand } from '../command/remoting-command.js';
import { nameIn } from './known-names.js';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;

const CODE = Buffer.from('"code":');
const EXT_FIELDS = Buffer.from('"extFields":{');
const FLAG = Buffer.from('"flag":');
const LANGUAGE = Buffer.from('"language":"');
const LANGUAGE_IS_JAVA = Buffer.from('"language":"JAVA"');
const OPAQUE = Buffer.from('"opaque":');
const REMARK = Buffer.from('"remark":"');
const SERIALIZE_TYPE = Buffer.from('"serializeTypeCurrentRPC":"');
const VERSION = Buffer.from('"version":');
const PROTO = Buffer.from('"__proto__"');

const BLANK = { code: 0 };

/**
 * Reads the JSON headers that the known clients and brokers write, at a fraction of the price of a parser: compact, the known members in
 * any order, plain ASCII texts, integers of 32 bits. `undefined` for anything else, be it right or wrong: then a parser reads it, and a
 * test holds that both agree.
 *
 * Bytes are compared where they lie; the ext fields are checked and made into an object only when somebody asks for them.
 */
export function scanJsonHeader(bytes: Buffer, start = 0, end = bytes.length): RemotingCommand | undefined {
  if (start >= end || bytes[start] !== OPEN_BRACE) return undefined;
  const command = new RemotingCommand(BLANK);
  let at = start + 1;
  for (;;) {
    // Each name begins with a letter of its own.
    switch (bytes[at + 1]) {
      case 0x63:
        if (!isAt(bytes, at, CODE)) return undefined;
        at = endOfInteger(bytes, at + CODE.length, end);
        command.code = integer;
        break;
      case 0x65: {
        if (!isAt(bytes, at, EXT_FIELDS)) return undefined;
        const from = at + EXT_FIELDS.length;
        at = endOfExtFields(bytes, from, end);
        command.extFieldsFrom(new ScannedExtFields(bytes, from, at));
        break;
      }
      case 0x66:
        if (!isAt(bytes, at, FLAG)) return undefined;
        at = endOfInteger(bytes, at + FLAG.length, end);
        command.flag = integer;
        break;
      case 0x6c: {
        if (isAt(bytes, at, LANGUAGE_IS_JAVA)) {
          command.language = 'JAVA';
          at += LANGUAGE_IS_JAVA.length;
          break;
        }
        if (!isAt(bytes, at, LANGUAGE)) return undefined;
        const from = at + LANGUAGE.length;
        at = endOfText(bytes, from, end);
        command.language = languageIn(bytes, from, at);
        break;
      }
      case 0x6f:
        if (!isAt(bytes, at, OPAQUE)) return undefined;
        at = endOfInteger(bytes, at + OPAQUE.length, end);
        command.opaque = integer;
        break;
      case 0x72: {
        if (!isAt(bytes, at, REMARK)) return undefined;
        const from = at + REMARK.length;
        at = endOfText(bytes, from, end);
        command.remark = bytes.toString('latin1', from, at - 1);
        break;
      }
      case 0x73:
        if (!isAt(bytes, at, SERIALIZE_TYPE)) return undefined;
        at = endOfText(bytes, at + SERIALIZE_TYPE.length, end);
        break;
      case 0x76:
        if (!isAt(bytes, at, VERSION)) return undefined;
        at = endOfInteger(bytes, at + VERSION.length, end);
        command.version = integer;
        break;
      default:
        return undefined;
    }
    // 0 stands for a member that ended nowhere.
    if (at === 0 || at >= end) return undefined;
    const next = bytes[at++];
    if (next === COMMA) continue;
    return next === CLOSE_BRACE && at === end ? command : undefined;
  }
}

/** Whether these bytes are there. What lies behind the header is no part of it, but holds none of the names' ends unseen. */
function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** What {@link endOfInteger} read: a second result without an object for it. */
let integer = 0;

/** Reads an integer of 32 bits as JSON has it; returns where it ends, or 0 when there is none. */
function endOfInteger(bytes: Buffer, from: number, end: number): number {
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
  // A fraction or an exponent is found by the caller, where a comma or brace must be.
  return at;
}

/** Where a plain text that began at `from` ends, with its closing quotation mark; 0 when it is not plain, or does not end. */
function endOfText(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return 0;
  }
  return 0;
}

/** Where the members of `extFields` end, with their closing brace; 0 when they are not plain. */
function endOfExtFields(bytes: Buffer, from: number, end: number): number {
  if (from < end && bytes[from] === CLOSE_BRACE) return from + 1;
  for (let at = from; at < end; at++) {
    if (bytes[at] !== QUOTE) return 0;
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

function languageIn(bytes: Buffer, from: number, afterQuote: number): LanguageName | undefined {
  const name = bytes.toString('latin1', from, afterQuote - 1);
  return isLanguageName(name) ? name : undefined;
}

/**
 * Makes objects that inherit nothing, so that a field named `constructor` is there only when it came. `Object.create(null)` would do the
 * same, and cost more than all the rest.
 */
const PlainFields = function PlainFields() {} as unknown as new () => ExtFields;
PlainFields.prototype = Object.create(null);

/** Ext fields that were found to be plain, and wait in their bytes. */
class ScannedExtFields implements ExtFieldsSource {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  read(): ExtFields {
    const bytes = this.#bytes;
    const start = this.#start;
    const text = bytes.toString('latin1', start, this.#end);
    const fields = new PlainFields();
    for (let at = start; bytes[at] === QUOTE; at++) {
      const nameEnd = nextQuote(bytes, at + 1);
      const valueEnd = nextQuote(bytes, nameEnd + 3);
      fields[nameIn(bytes, at + 1, nameEnd)] = text.slice(nameEnd + 3 - start, valueEnd - start);
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
