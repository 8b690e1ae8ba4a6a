import { encodeUtf8 } from '../buffer/utf8.js';
import { isLanguageName, type LanguageName, languageName } from '../command/language-code.js';
import { createExtFields, type ExtFields, RemotingCommand } from '../command/remoting-command.js';
import { DecodeError } from '../errors.js';
import { quoteJson } from '../json/escape-json.js';
import { toInt32, toObject, toText } from '../json/json-coercion.js';
import { jsonField } from '../json/json-field.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { parseFastJson } from '../json/parse-fast-json.js';
import { requireInt32, requireText } from './header-value.js';
import { JsonHeaderShapes } from './json-header-shapes.js';
import { MAX_EXT_FIELDS } from './max-ext-fields.js';

const shapes = new JsonHeaderShapes();

/** Of the ext fields, and of the header around them. */
const MAX_VALUES = MAX_EXT_FIELDS + 16;

/**
 * A command's header as JSON text in UTF-8: keys in alphabetical order, no blanks, non-ASCII raw, what is undefined left out;
 * `extFields` that are present but empty are written as `{}` (reference: remoting 2.2).
 *
 * @throws RemotingError `ENCODE_FAILED` when a number is no 32-bit integer or an ext field no string
 */
export function encodeJsonHeader(command: RemotingCommand): Buffer {
  let text = `{"code":${requireInt32(command, 'code')}`;
  if (command.extFields !== undefined) text += `,"extFields":${writeExtFields(command, command.extFields)}`;
  text += `,"flag":${requireInt32(command, 'flag')}`;
  if (command.language !== undefined) text += `,"language":"${command.language}"`;
  text += `,"opaque":${requireInt32(command, 'opaque')}`;
  if (command.remark !== undefined && command.remark !== null)
    text += `,"remark":${quoteJson(requireText(command, 'remark', command.remark), 'legacy')}`;
  return encodeUtf8(`${text},"serializeTypeCurrentRPC":"JSON","version":${requireInt32(command, 'version')}}`);
}

function writeExtFields(command: RemotingCommand, extFields: ExtFields): string {
  let text = '{';
  for (const name of Object.keys(extFields)) {
    const value = extFields[name];
    if (value === undefined || value === null) continue;
    if (text.length > 1) text += ',';
    text += `${quoteJson(name, 'legacy')}:${quoteJson(requireText(command, name, value), 'legacy')}`;
  }
  return `${text}}`;
}

/**
 * Reads a JSON header as leniently as the reference implementation (remoting 2.2, nameserver 1.2): fastjson's dialect, unknown keys
 * ignored, numbers also as texts, the language also as its ordinal, an unknown language name is `undefined`, ext values of any kind become
 * texts and those that are null are dropped. Missing keys have their defaults; a missing opaque is 0.
 * `serializeTypeCurrentRPC` is ignored: the frame says what the header is.
 *
 * @throws DecodeError for bytes that are no JSON object, more than 16,400 values, a number outside 32 bits, a language ordinal that no release has, or ext fields
 *   that are no object
 */
export function decodeJsonHeader(bytes: Buffer, start = 0, end = bytes.length): RemotingCommand {
  return shapes.read(bytes, start, end) ?? parseJsonHeader(bytes, start, end);
}

/** {@link decodeJsonHeader} by the parser alone. */
export function parseJsonHeader(bytes: Buffer, start = 0, end = bytes.length): RemotingCommand {
  const header = parseFastJson(bytes.toString('utf8', start, end), { maxValues: MAX_VALUES });
  if (header === null || typeof header !== 'object' || Array.isArray(header))
    throw new DecodeError(`a JSON header must be an object, but is ${describe(header, end - start)}`);
  const object = header as JsonObject;
  return new RemotingCommand({
    code: toInt32(jsonField(object, 'code'), 'code') ?? 0,
    language: readLanguage(jsonField(object, 'language')),
    version: toInt32(jsonField(object, 'version'), 'version') ?? 0,
    opaque: toInt32(jsonField(object, 'opaque'), 'opaque') ?? 0,
    flag: toInt32(jsonField(object, 'flag'), 'flag') ?? 0,
    remark: toText(jsonField(object, 'remark')) ?? undefined,
    extFields: readExtFields(jsonField(object, 'extFields')),
  });
}

function describe(header: JsonValue, byteLength: number): string {
  if (byteLength === 0) return 'empty';
  if (header === null) return 'null or blank';
  return Array.isArray(header) ? 'an array' : `a ${typeof header}`;
}

function readLanguage(value: JsonValue | undefined): LanguageName | undefined {
  if (value === undefined) return 'JAVA';
  if (value === null) return undefined;
  if (typeof value === 'string') return isLanguageName(value) ? value : undefined;
  const name = typeof value === 'number' ? languageName(value) : undefined;
  if (name === undefined) throw new DecodeError(`the header's language is neither a name nor a known ordinal`);
  return name;
}

function readExtFields(value: JsonValue | undefined): ExtFields | undefined {
  // Of a bean it would stand for null, of a map it does not.
  if (Array.isArray(value)) throw new DecodeError('extFields should be an object, but is an array');
  const object = toObject(value, 'extFields');
  if (object === undefined || object === null) return undefined;
  const extFields = createExtFields();
  for (const name of Object.keys(object)) {
    const text = toText(object[name]);
    if (text !== undefined && text !== null) extFields[name] = text;
  }
  return extFields;
}
