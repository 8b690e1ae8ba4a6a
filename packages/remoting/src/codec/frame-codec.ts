import { asBuffer } from '../buffer/as-buffer.js';
import { readInt32, writeInt32 } from '../buffer/int32.js';
import { type Slab, sharedSlab } from '../buffer/slab.js';
import { viewOf } from '../buffer/view.js';
import { setBodyPieces } from '../command/body-pieces.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { SerializeType } from '../command/serialize-type.js';
import { DecodeError, DecodeErrorKind, FrameTooLargeError, RemotingError } from '../errors.js';
import { decodeJsonHeader, encodeJsonHeader } from './json-header-codec.js';
import { extFieldNames, JsonHeaderTemplate } from './json-header-template.js';
import {
  decodeRocketMqHeader,
  encodeRocketMqHeader,
  PLAIN_HEADER_BYTES,
  writePlainRocketMqHeader,
} from './rocketmq-header-codec.js';

/** The length and the header word. */
const HEAD_BYTES = 8;
/** The header's length has 24 bits; Apache's encoder wraps silently beyond. */
const MAX_HEADER_BYTES = 0xffffff;
/** The frame's length is an int32 in Java. */
const MAX_FRAME_BYTES = 0x7fffffff;
/**
 * A body up to this size is copied behind its header: one Buffer costs less than two do in a gathered write, and an allocation of
 * that size still fits into a few cache pages. Larger ones are passed on as they are.
 */
const MERGED_BODY_BYTES = 4096;

/**
 * A command as it goes over the wire (reference: remoting 1.1), all integers big-endian:
 *
 * | offset | width | field |
 * |---|---|---|
 * | 0 | 4 | number of bytes that follow |
 * | 4 | 1 | serialize type of the header: 0 JSON, 1 ROCKETMQ |
 * | 5 | 3 | header length H |
 * | 8 | H | header |
 * | 8+H | rest | body |
 *
 * @returns one Buffer, or two when the body is large: it is not copied then, so leave it unchanged until it is sent
 * @throws RemotingError `ENCODE_FAILED` when the command cannot be written, FrameTooLargeError beyond 2^31-1 bytes
 */
export function encodeFrame(command: RemotingCommand): Buffer[] {
  const frame = encodeFrameParts(command);
  return Array.isArray(frame) ? frame : [frame];
}

/** {@link encodeFrame} without a list for the usual case of one Buffer, and into memory of the caller's choice. */
export function encodeFrameParts(command: RemotingCommand, slab: Slab = sharedSlab): Buffer | Buffer[] {
  const plain = hasPlainNumbers(command) ? plainFrame(command, slab) : undefined;
  return plain ?? frameWithHeader(command, encodeHeader(command), slab);
}

/** The frame of a command whose header needs no rules; `undefined` when it does. */
function plainFrame(command: RemotingCommand, slab: Slab): Buffer | Buffer[] | undefined {
  if (command.serializeType !== SerializeType.ROCKETMQ) return jsonFrame(command, slab);
  return command.hasExtFields || !hasNoRemark(command) ? undefined : plainBinaryFrame(command, slab);
}

function encodeHeader(command: RemotingCommand): Buffer {
  return command.serializeType === SerializeType.ROCKETMQ ? encodeRocketMqHeader(command) : encodeJsonHeader(command);
}

function hasPlainNumbers({ code, flag, opaque, version }: RemotingCommand): boolean {
  return code === (code | 0) && flag === (flag | 0) && opaque === (opaque | 0) && version === (version | 0);
}

function hasNoRemark({ remark }: RemotingCommand): boolean {
  return remark === undefined || remark === null;
}

function plainBinaryFrame(command: RemotingCommand, slab: Slab): Buffer | Buffer[] {
  const head = allocateHead(command, PLAIN_HEADER_BYTES, slab);
  writePlainRocketMqHeader(command, head, HEAD_BYTES);
  return withBody(head, HEAD_BYTES + PLAIN_HEADER_BYTES, command.body);
}

/** `undefined` when the header has texts that cannot be written as they are. */
function jsonFrame(command: RemotingCommand, slab: Slab): Buffer | Buffer[] | undefined {
  const template = JsonHeaderTemplate.of(command);
  const names = extFieldNames(command);
  const headerBytes = template.byteLength(command, names);
  // It is none when something is no text; what is wrong with them is told by who writes them by the rules.
  if (!(headerBytes <= MAX_HEADER_BYTES)) return undefined;
  const head = allocateHead(command, headerBytes, slab);
  if (!template.write(command, names, head, HEAD_BYTES)) return undefined;
  return withBody(head, HEAD_BYTES + headerBytes, command.body);
}

function frameWithHeader(command: RemotingCommand, header: Buffer, slab: Slab): Buffer | Buffer[] {
  const head = allocateHead(command, header.length, slab);
  head.set(header, HEAD_BYTES);
  return withBody(head, HEAD_BYTES + header.length, command.body);
}

/** A frame as {@link decodeFrame} takes it, with its four length bytes before it. */
export function withLength(frame: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(4 + frame.length);
  writeInt32(whole, 0, frame.length);
  whole.set(frame, 4);
  return whole;
}

/** Memory for the frame up to its body, or with it when that is small, with both lengths in place. */
function allocateHead(command: RemotingCommand, headerBytes: number, slab: Slab): Buffer {
  const { body } = command;
  // A text has a length as well, and would leave as so many zeros.
  if (body !== undefined && body !== null && !(body instanceof Uint8Array))
    throw new RemotingError('ENCODE_FAILED', `a command's body must be a Uint8Array, not a ${typeof body}`, {
      opaque: command.opaque,
    });
  const bodyBytes = body?.length ?? 0;
  const frameBytes = 4 + headerBytes + bodyBytes;
  if (headerBytes > MAX_HEADER_BYTES)
    throw new RemotingError(
      'ENCODE_FAILED',
      `a header of ${headerBytes} bytes exceeds what a frame can carry, ${MAX_HEADER_BYTES}; move large ext fields into the body`,
      { opaque: command.opaque },
    );
  if (frameBytes > MAX_FRAME_BYTES)
    throw new FrameTooLargeError(frameBytes, MAX_FRAME_BYTES, { opaque: command.opaque });
  const head = slab.allocate(HEAD_BYTES + headerBytes + (bodyBytes <= MERGED_BODY_BYTES ? bodyBytes : 0));
  writeInt32(head, 0, frameBytes);
  writeInt32(head, 4, command.serializeType * 0x1000000 + headerBytes);
  return head;
}

function withBody(head: Buffer, at: number, body: Uint8Array | undefined): Buffer | Buffer[] {
  if (body === undefined || body === null || body.length === 0) return head;
  if (body.length > MERGED_BODY_BYTES) return [head, asBuffer(body)];
  head.set(body, at);
  return head;
}

/**
 * Reads a frame: what follows the four length bytes, from `start` to `end`. The body is a view of the bytes, or `undefined` when it has none;
 * ext fields are read from them when they are asked for, so the bytes must not be changed afterwards.
 *
 * @param maxHeaderBytes the longest header that is looked into; default 16777215, the longest there can be
 * @throws DecodeError when the header is longer than that or than the frame, the serialize type is unknown, or the header does not decode
 */
export function decodeFrame(
  bytes: Buffer,
  maxHeaderBytes = MAX_HEADER_BYTES,
  start = 0,
  end = bytes.length,
): RemotingCommand {
  const bodyStart = bodyStartOf(bytes, maxHeaderBytes, start, end);
  const command = decodeHeader(readInt32(bytes, start) >>> 24, bytes, start + 4, bodyStart);
  if (bodyStart < end) command.body = viewOf(bytes, bodyStart, end);
  return command;
}

/** {@link decodeFrame} for a frame in pieces, which stay apart as the body's; `pages` as in {@link setBodyPieces}. */
export function decodeFrameInPieces(
  pieces: readonly Buffer[],
  maxHeaderBytes = MAX_HEADER_BYTES,
  pages: readonly Buffer[] = [],
): RemotingCommand {
  const [first, ...others] = pieces;
  if (first === undefined || first.length < 4 || 4 + (readInt32(first, 0) & MAX_HEADER_BYTES) > first.length)
    return decodeFrame(Buffer.concat(pieces), maxHeaderBytes);
  const bodyStart = bodyStartOf(first, maxHeaderBytes, 0, first.length);
  const command = decodeHeader(readInt32(first, 0) >>> 24, first, 4, bodyStart);
  const body = bodyStart < first.length ? [viewOf(first, bodyStart, first.length), ...others] : others;
  if (body.length > 0) setBodyPieces(command, body, pages);
  return command;
}

function bodyStartOf(bytes: Buffer, maxHeaderBytes: number, start: number, end: number): number {
  if (end - start < 4) throw corrupt(`a frame has 4 bytes at least, but this one only ${end - start}`);
  const headerBytes = readInt32(bytes, start) & MAX_HEADER_BYTES;
  const headerStart = start + 4;
  const bodyStart = headerStart + headerBytes;
  if (bodyStart > end)
    throw corrupt(`a frame says that its header has ${headerBytes} bytes, but only ${end - headerStart} are there`);
  if (headerBytes > maxHeaderBytes)
    throw new DecodeError(
      `a frame's header has ${headerBytes} bytes, but ${maxHeaderBytes} at most are taken; move large ext fields into the body, or raise maxHeaderBytes`,
      { kind: DecodeErrorKind.HEADER_TOO_LARGE },
    );
  return bodyStart;
}

function decodeHeader(serializeType: number, bytes: Buffer, start: number, end: number): RemotingCommand {
  if (serializeType === SerializeType.JSON) return decodeJsonHeader(bytes, start, end);
  if (serializeType === SerializeType.ROCKETMQ) return decodeRocketMqHeader(bytes, start, end);
  throw corrupt(`a frame has the serialize type ${serializeType}, but only 0 (JSON) and 1 (ROCKETMQ) exist`);
}

function corrupt(message: string): DecodeError {
  return new DecodeError(message, { kind: DecodeErrorKind.CORRUPT_FRAME });
}
