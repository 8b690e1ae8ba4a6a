import { isLanguageName, type LanguageName } from '../command/language-code.js';
import { type ExtFields, RemotingCommand } from '../command/remoting-command.js';

/** Anything but plain ASCII without backslash; a text without such characters ends at its next quotation mark and needs no decoding. */
const NOT_PLAIN = /[^\x20-\x5b\x5d-\x7e]/;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;

/**
 * Reads the JSON headers that the known clients and brokers write, at a fraction of the price of a parser: compact, the known members in
 * any order, plain ASCII texts, integers of 32 bits. `undefined` for anything else, be it right or wrong: then a parser reads it, and a
 * test holds that both agree.
 */
export function scanJsonHeader(bytes: Buffer, start = 0, end = bytes.length): RemotingCommand | undefined {
  const text = bytes.toString('latin1', start, end);
  if (NOT_PLAIN.test(text) || text.charCodeAt(0) !== OPEN_BRACE) return undefined;
  let code = 0;
  let language: LanguageName | undefined = 'JAVA';
  let version = 0;
  let opaque = 0;
  let flag = 0;
  let remark: string | undefined;
  let extFields: ExtFields | undefined;
  let at = 1;
  for (;;) {
    // Each name begins with a letter of its own.
    switch (text.charCodeAt(at + 1)) {
      case 0x63:
        if (!text.startsWith('"code":', at)) return undefined;
        at = endOfInteger(text, at + 7);
        code = integer;
        break;
      case 0x65: {
        if (!text.startsWith('"extFields":{', at)) return undefined;
        // An object with a prototype: one without costs more than the rest of the scan.
        extFields = {};
        at = scanExtFields(text, at + 13, extFields);
        break;
      }
      case 0x66:
        if (!text.startsWith('"flag":', at)) return undefined;
        at = endOfInteger(text, at + 7);
        flag = integer;
        break;
      case 0x6c: {
        if (!text.startsWith('"language":"', at)) return undefined;
        const nameEnd = text.indexOf('"', at + 12);
        const name = text.slice(at + 12, nameEnd);
        language = isLanguageName(name) ? name : undefined;
        at = nameEnd + 1;
        break;
      }
      case 0x6f:
        if (!text.startsWith('"opaque":', at)) return undefined;
        at = endOfInteger(text, at + 9);
        opaque = integer;
        break;
      case 0x72: {
        if (!text.startsWith('"remark":"', at)) return undefined;
        const remarkEnd = text.indexOf('"', at + 10);
        remark = text.slice(at + 10, remarkEnd);
        at = remarkEnd + 1;
        break;
      }
      case 0x73: {
        if (!text.startsWith('"serializeTypeCurrentRPC":"', at)) return undefined;
        at = text.indexOf('"', at + 27) + 1;
        break;
      }
      case 0x76:
        if (!text.startsWith('"version":', at)) return undefined;
        at = endOfInteger(text, at + 10);
        version = integer;
        break;
      default:
        return undefined;
    }
    // 0 stands for a member that ended nowhere.
    if (at === 0) return undefined;
    const next = text.charCodeAt(at++);
    if (next === COMMA) continue;
    if (next !== CLOSE_BRACE || at !== text.length) return undefined;
    return new RemotingCommand({ code, language, version, opaque, flag, remark, extFields });
  }
}

/** What {@link endOfInteger} read: a second result without an object for it. */
let integer = 0;

/** Reads an integer of 32 bits as JSON has it; returns where it ends, or 0 when there is none. */
function endOfInteger(text: string, from: number): number {
  const negative = text.charCodeAt(from) === MINUS;
  const first = negative ? from + 1 : from;
  let at = first;
  let value = 0;
  for (let digit = text.charCodeAt(at) - ZERO; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) {
    if (at - first === 10) return 0;
    value = value * 10 + digit;
  }
  integer = negative ? 0 - value : value;
  if (at === first || integer !== (integer | 0)) return 0;
  if (at - first > 1 && text.charCodeAt(first) === ZERO) return 0;
  // A fraction or an exponent is found by the caller, where a comma or brace must be.
  return at;
}

/** Reads the members of `extFields` up to and with its closing brace; returns where it ends, or 0 when it is not plain. */
function scanExtFields(text: string, from: number, fields: ExtFields): number {
  let at = from;
  if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return 0;
    const nameEnd = text.indexOf('"', at + 1);
    if (nameEnd < 0 || text.charCodeAt(nameEnd + 1) !== COLON || text.charCodeAt(nameEnd + 2) !== QUOTE) return 0;
    const valueEnd = text.indexOf('"', nameEnd + 3);
    if (valueEnd < 0) return 0;
    const name = text.slice(at + 1, nameEnd);
    // The one name that is no ordinary member of such an object.
    if (name === '__proto__') return 0;
    fields[name] = text.slice(nameEnd + 3, valueEnd);
    const next = text.charCodeAt(valueEnd + 1);
    at = valueEnd + 2;
    if (next === CLOSE_BRACE) return at;
    if (next !== COMMA) return 0;
  }
}
