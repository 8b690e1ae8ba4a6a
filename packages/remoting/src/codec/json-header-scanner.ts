import { isLanguageName, type LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { endOfExtFields, endOfInteger, endOfText, integer, isAt, PlainExtFields } from './plain-json.js';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

const CODE = Buffer.from('"code":');
const EXT_FIELDS = Buffer.from('"extFields":{');
const FLAG = Buffer.from('"flag":');
const LANGUAGE = Buffer.from('"language":"');
const LANGUAGE_IS_JAVA = Buffer.from('"language":"JAVA"');
const OPAQUE = Buffer.from('"opaque":');
const REMARK = Buffer.from('"remark":"');
const SERIALIZE_TYPE = Buffer.from('"serializeTypeCurrentRPC":"');
const VERSION = Buffer.from('"version":');

interface Place {
  readonly at: number;
  readonly end: number;
}

/** Where in a header that was read those members are that differ from one command of a kind to the next; of equal ones the last, which counts. */
export interface ChangingPlaces {
  /** The number. */
  opaque?: Place;
  /** What follows the opening brace, with the closing one. */
  extFields?: Place;
}

/**
 * Reads the JSON headers that the known clients and brokers write, at a fraction of the price of a parser: compact, the known members in
 * any order, plain ASCII texts, integers of 32 bits. `undefined` for anything else, be it right or wrong: then a parser reads it, and a
 * test holds that both agree.
 *
 * Bytes are compared where they lie; the ext fields are checked and made into an object only when somebody asks for them.
 */
export function scanJsonHeader(
  bytes: Buffer,
  start = 0,
  end = bytes.length,
  places?: ChangingPlaces,
): RemotingCommand | undefined {
  if (start >= end || bytes[start] !== OPEN_BRACE) return undefined;
  const command = RemotingCommand.request(0);
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
        command.extFieldsFrom(new PlainExtFields(bytes, from, at));
        if (places !== undefined) places.extFields = { at: from, end: at };
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
        at += OPAQUE.length;
        if (places !== undefined) places.opaque = { at, end: endOfInteger(bytes, at, end) };
        at = endOfInteger(bytes, at, end);
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

function languageIn(bytes: Buffer, from: number, afterQuote: number): LanguageName | undefined {
  const name = bytes.toString('latin1', from, afterQuote - 1);
  return isLanguageName(name) ? name : undefined;
}
