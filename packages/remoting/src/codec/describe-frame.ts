import { asBuffer } from '../buffer/as-buffer.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { SerializeType } from '../command/serialize-type.js';
import { RemotingError, textOfThrown } from '../errors.js';
import { quoteForPeople } from '../json/quote-for-people.js';
import { decodeFrame } from './frame-codec.js';

export interface DescribeFrameOptions {
  /** The name of a request's code, or of an answer's; default none is known. */
  readonly nameOf?: ((code: number, isResponse: boolean) => string | undefined) | undefined;
  /** Whether values of ext fields are shown, which may be secrets; default false. */
  readonly values?: boolean | undefined;
  /** How many of the body's first bytes are shown in hexadecimal; default 0. */
  readonly bodyBytes?: number | undefined;
}

/** Ext fields and their values are shown up to these, so that a line stays one. */
const MAX_FIELDS = 64;
const MAX_VALUE_CHARACTERS = 200;
/** Of bytes that are no frame. */
const MAX_BAD_BYTES = 32;
const PLAIN_NAME = /^[\w.$-]+$/;

/**
 * One line about a frame for people, its four length bytes included; of bytes that are no frame, what is wrong and the first of them.
 * Nothing in it can be a line break or control character, whatever a peer sent.
 *
 * `request 9001 GREET opaque=7 flag=00 JSON JAVA version=0 ext=[name, times] body=0 frame=144`
 */
export function describeFrame(frame: Uint8Array, options: DescribeFrameOptions = {}): string {
  const bytes = asBuffer(frame);
  let command: RemotingCommand;
  try {
    command = decodeFrame(withoutLength(bytes));
  } catch (error) {
    const reason = textOfThrown(error);
    return `no frame: ${quoteForPeople(reason, MAX_VALUE_CHARACTERS).slice(1, -1)}; ${bytes.length} bytes: ${hex(bytes, MAX_BAD_BYTES)}`;
  }
  const { body, remark } = command;
  const parts = [
    command.isResponse ? 'response' : command.isOneway ? 'oneway' : 'request',
    command.code,
    options.nameOf?.(command.code, command.isResponse),
    `opaque=${command.opaque}`,
    `flag=${(command.flag >>> 0).toString(2).padStart(2, '0')}`,
    command.serializeType === SerializeType.JSON ? 'JSON' : 'ROCKETMQ',
    command.language ?? 'unknown-language',
    `version=${command.version}`,
    remark === undefined ? undefined : `remark=${quoteForPeople(remark, MAX_VALUE_CHARACTERS)}`,
    command.extFields === undefined ? undefined : `ext=[${describeFields(command.extFields, options.values === true)}]`,
    `body=${body?.length ?? 0}`,
    `frame=${bytes.length}`,
    body !== undefined && options.bodyBytes ? hex(body, options.bodyBytes) : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

function withoutLength(bytes: Buffer): Buffer {
  const announced = bytes.length < 4 ? undefined : bytes.readInt32BE(0);
  if (announced === bytes.length - 4) return bytes.subarray(4);
  const length = announced === undefined ? 'no length' : `the length ${announced}`;
  throw new RemotingError('DECODE_FAILED', `${length} with ${Math.max(0, bytes.length - 4)} bytes behind it`);
}

function describeFields(extFields: NonNullable<RemotingCommand['extFields']>, values: boolean): string {
  const names = Object.keys(extFields);
  const shown = names.slice(0, MAX_FIELDS).map((name) => {
    const text = PLAIN_NAME.test(name) && name.length <= MAX_VALUE_CHARACTERS ? name : quoteForPeople(name);
    return values ? `${text}=${quoteForPeople(extFields[name] ?? '', MAX_VALUE_CHARACTERS)}` : text;
  });
  if (names.length > MAX_FIELDS) shown.push(`… ${names.length - MAX_FIELDS} more`);
  return shown.join(', ');
}

function hex(bytes: Uint8Array, maxBytes: number): string {
  const shown = asBuffer(bytes.subarray(0, maxBytes)).toString('hex');
  return bytes.length > maxBytes ? `${shown}…` : shown;
}
