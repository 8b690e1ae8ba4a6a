import { asBuffer } from '../buffer/as-buffer.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { SerializeType } from '../command/serialize-type.js';
import { DecodeError, DecodeErrorKind, FrameTooLargeError, RemotingError } from '../errors.js';
import { decodeJsonHeader, encodeJsonHeader } from './json-header-codec.js';
import { decodeRocketMqHeader, encodeRocketMqHeader } from './rocketmq-header-codec.js';

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
  const header = encodeHeader(command);
  const body = command.body;
  const bodyBytes = body?.length ?? 0;
  const frameBytes = 4 + header.length + bodyBytes;
  if (frameBytes > MAX_FRAME_BYTES)
    throw new FrameTooLargeError(frameBytes, MAX_FRAME_BYTES, { opaque: command.opaque });

  const merged = bodyBytes <= MERGED_BODY_BYTES;
  const head = Buffer.allocUnsafe(8 + header.length + (merged ? bodyBytes : 0));
  head.writeUInt32BE(frameBytes, 0);
  head.writeUInt32BE(command.serializeType * 0x1000000 + header.length, 4);
  head.set(header, 8);
  if (body === undefined || bodyBytes === 0) return [head];
  if (!merged) return [head, asBuffer(body)];
  head.set(body, 8 + header.length);
  return [head];
}

function encodeHeader(command: RemotingCommand): Buffer {
  const header =
    command.serializeType === SerializeType.ROCKETMQ ? encodeRocketMqHeader(command) : encodeJsonHeader(command);
  if (header.length > MAX_HEADER_BYTES)
    throw new RemotingError(
      'ENCODE_FAILED',
      `a header of ${header.length} bytes exceeds what a frame can carry, ${MAX_HEADER_BYTES}; move large ext fields into the body`,
      { opaque: command.opaque },
    );
  return header;
}

/**
 * Reads a frame: what follows the four length bytes. The body is a view of the frame, or `undefined` when it has no bytes.
 *
 * @param maxHeaderBytes the longest header that is looked into; default 16777215, the longest there can be
 * @throws DecodeError when the header is longer than that or than the frame, the serialize type is unknown, or the header does not decode
 */
export function decodeFrame(frame: Buffer, maxHeaderBytes = MAX_HEADER_BYTES): RemotingCommand {
  if (frame.length < 4) throw corrupt(`a frame has 4 bytes at least, but this one only ${frame.length}`);
  const serializeType = frame.readUInt8(0);
  const headerBytes = frame.readUIntBE(1, 3);
  if (headerBytes > frame.length - 4)
    throw corrupt(`a frame says that its header has ${headerBytes} bytes, but only ${frame.length - 4} are there`);
  if (headerBytes > maxHeaderBytes)
    throw new DecodeError(
      `a frame's header has ${headerBytes} bytes, but ${maxHeaderBytes} at most are taken; move large ext fields into the body, or raise maxHeaderBytes`,
      { kind: DecodeErrorKind.HEADER_TOO_LARGE },
    );
  const command = decodeHeader(serializeType, frame, 4 + headerBytes);
  if (frame.length > 4 + headerBytes) command.body = frame.subarray(4 + headerBytes);
  return command;
}

function decodeHeader(serializeType: number, frame: Buffer, end: number): RemotingCommand {
  if (serializeType === SerializeType.JSON) return decodeJsonHeader(frame, 4, end);
  if (serializeType === SerializeType.ROCKETMQ) return decodeRocketMqHeader(frame, 4, end);
  throw corrupt(`a frame has the serialize type ${serializeType}, but only 0 (JSON) and 1 (ROCKETMQ) exist`);
}

function corrupt(message: string): DecodeError {
  return new DecodeError(message, { kind: DecodeErrorKind.CORRUPT_FRAME });
}
