import { readInt32, writeInt32 } from '../buffer/int32.js';
import { replaceUnpairedSurrogates } from '../buffer/utf8.js';
import { LanguageCode, languageName } from '../command/language-code.js';
import { createExtFields, type ExtFields, type ExtFieldsSource, RemotingCommand } from '../command/remoting-command.js';
import { SerializeType } from '../command/serialize-type.js';
import { DecodeError, RemotingError } from '../errors.js';
import { requireInt32, requireText } from './header-value.js';
import { MAX_EXT_FIELDS } from './max-ext-fields.js';

/**
 * The binary header (reference: remoting 2.6), all integers big-endian:
 *
 * | offset | width | field |
 * |---|---|---|
 * | 0 | 2 | code |
 * | 2 | 1 | language |
 * | 3 | 2 | version |
 * | 5 | 4 | opaque |
 * | 9 | 4 | flag |
 * | 13 | 4 | remark length R, 0 for none |
 * | 17 | R | remark, UTF-8 |
 * | 17+R | 4 | length E of the ext fields, 0 for none |
 * | 21+R | E | entries: key length (2), key, value length (4), value |
 */
const FIXED_BYTES = 21;
const REMARK_AT = 17;
const MAX_KEY_BYTES = 32767;

/**
 * A command's header in binary. Of code and version only the low 16 bits travel. An undefined language is written as OTHER, because a Java
 * peer cannot answer a command without one.
 *
 * @throws RemotingError `ENCODE_FAILED` when an ext field's name is longer than 32767 bytes, or a value has the wrong type
 */
export function encodeRocketMqHeader(command: RemotingCommand): Buffer {
  const remark = replaceUnpairedSurrogates(requireText(command, 'remark', command.remark ?? ''));
  const remarkBytes = Buffer.byteLength(remark);
  const entries = command.extFields === undefined ? [] : listEntries(command, command.extFields);
  let extBytes = 0;
  for (const entry of entries) extBytes += 6 + entry.nameBytes + entry.valueBytes;

  const bytes = Buffer.allocUnsafe(FIXED_BYTES + remarkBytes + extBytes);
  bytes.writeUInt16BE(requireInt32(command, 'code') & 0xffff, 0);
  bytes.writeUInt8(LanguageCode[command.language ?? 'OTHER'], 2);
  bytes.writeUInt16BE(requireInt32(command, 'version') & 0xffff, 3);
  bytes.writeInt32BE(requireInt32(command, 'opaque'), 5);
  bytes.writeInt32BE(requireInt32(command, 'flag'), 9);
  bytes.writeInt32BE(remarkBytes, 13);
  bytes.write(remark, REMARK_AT);
  let at = bytes.writeInt32BE(extBytes, REMARK_AT + remarkBytes);
  for (const { name, nameBytes, value, valueBytes } of entries) {
    at = bytes.writeInt16BE(nameBytes, at);
    at += bytes.write(name, at);
    at = bytes.writeInt32BE(valueBytes, at);
    at += bytes.write(value, at);
  }
  return bytes;
}

/** The length of a header without remark and ext fields. */
export const PLAIN_HEADER_BYTES = FIXED_BYTES;

/** Writes a header without remark and ext fields where {@link PLAIN_HEADER_BYTES} are free. Its numbers must be 32-bit integers. */
export function writePlainRocketMqHeader(command: RemotingCommand, into: Buffer, start: number): void {
  const { code, version } = command;
  into[start] = code >> 8;
  into[start + 1] = code;
  into[start + 2] = LanguageCode[command.language ?? 'OTHER'];
  into[start + 3] = version >> 8;
  into[start + 4] = version;
  writeInt32(into, start + 5, command.opaque);
  writeInt32(into, start + 9, command.flag);
  writeInt32(into, start + 13, 0);
  writeInt32(into, start + REMARK_AT, 0);
}

interface Entry {
  readonly name: string;
  readonly nameBytes: number;
  readonly value: string;
  readonly valueBytes: number;
}

function listEntries(command: RemotingCommand, extFields: ExtFields): Entry[] {
  const entries: Entry[] = [];
  for (const key of Object.keys(extFields)) {
    if (extFields[key] === undefined || extFields[key] === null) continue;
    const name = replaceUnpairedSurrogates(key);
    const value = replaceUnpairedSurrogates(requireText(command, key, extFields[key]));
    const nameBytes = Buffer.byteLength(name);
    if (nameBytes > MAX_KEY_BYTES)
      throw new RemotingError(
        'ENCODE_FAILED',
        `an ext field's name has ${nameBytes} bytes, but a binary header carries ${MAX_KEY_BYTES} at most; shorten it or use JSON headers`,
        { opaque: command.opaque },
      );
    entries.push({ name, nameBytes, value, valueBytes: Buffer.byteLength(value) });
  }
  return entries;
}

/**
 * Reads a binary header. Remark and ext fields of length 0 are `undefined`, a negative length of the ext fields counts as none, an unknown
 * language byte is `undefined`, and bytes after the ext fields are ignored.
 *
 * An entry whose name or value has no bytes is left out, so that the field counts as missing: 4.9.7 and 5.3.3 read a null there (4.7.1 the
 * empty text), and in JSON headers, which tell the two apart, an empty text stays one.
 *
 * @throws DecodeError for a header that is cut short, a length that is negative or larger than what is left, and more than 16,384 ext fields
 */
export function decodeRocketMqHeader(bytes: Buffer, start = 0, end = bytes.length): RemotingCommand {
  if (end - start < FIXED_BYTES)
    throw new DecodeError(`a binary header has ${FIXED_BYTES} bytes at least, but this one only ${end - start}`);
  const remarkBytes = readInt32(bytes, start + 13);
  checkLength('the remark', remarkBytes, end - start - FIXED_BYTES);
  const remarkStart = start + REMARK_AT;
  const remarkEnd = remarkStart + remarkBytes;
  const extBytes = readInt32(bytes, remarkEnd);
  const extStart = remarkEnd + 4;
  if (extBytes > end - extStart) checkLength('extFields', extBytes, end - extStart);
  const command = RemotingCommand.request(readInt32(bytes, start) >> 16);
  command.language = languageName(bytes[start + 2] as number);
  command.version = readInt32(bytes, start + 3) >> 16;
  command.opaque = readInt32(bytes, start + 5);
  command.flag = readInt32(bytes, start + 9);
  if (remarkBytes > 0) command.remark = bytes.toString('utf8', remarkStart, remarkEnd);
  command.serializeType = SerializeType.ROCKETMQ;
  if (extBytes > 0) {
    checkEntries(bytes, extStart, extStart + extBytes);
    command.extFieldsFrom(new BinaryExtFields(bytes, extStart, extStart + extBytes));
  }
  return command;
}

/** @throws DecodeError unless the entries end where they must, and are no more than may be */
function checkEntries(bytes: Buffer, start: number, end: number): void {
  let at = start;
  let entries = 0;
  while (at < end) {
    if (++entries > MAX_EXT_FIELDS) throw new DecodeError(`a binary header has more than ${MAX_EXT_FIELDS} ext fields`);
    checkLength("a name's length", 2, end - at);
    const nameBytes = readInt16(bytes, at);
    at += 2;
    checkLength("an ext field's name", nameBytes, end - at);
    at += nameBytes;
    checkLength("a value's length", 4, end - at);
    const valueBytes = readInt32(bytes, at);
    at += 4;
    checkLength("an ext field's value", valueBytes, end - at);
    at += valueBytes;
  }
}

function readInt16(bytes: Buffer, at: number): number {
  return (((bytes[at] as number) << 24) >> 16) | (bytes[at + 1] as number);
}

/** Entries whose lengths were checked, and that wait in their bytes. */
class BinaryExtFields implements ExtFieldsSource {
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
    const extFields = createExtFields();
    for (let at = this.#start; at < this.#end; ) {
      const nameAt = at + 2;
      const nameEnd = nameAt + readInt16(bytes, at);
      const valueAt = nameEnd + 4;
      at = valueAt + readInt32(bytes, nameEnd);
      if (nameEnd > nameAt && at > valueAt)
        extFields[bytes.toString('utf8', nameAt, nameEnd)] = bytes.toString('utf8', valueAt, at);
    }
    return extFields;
  }
}

function checkLength(what: string, byteLength: number, left: number): void {
  if (byteLength < 0 || byteLength > left)
    throw new DecodeError(`a binary header says that ${what} has ${byteLength} bytes, but ${left} are left`);
}
