import { ResponseCode } from '@rmqns/protocol';
import { CommandError } from '@rmqns/remoting';

/** One message of a batch; what it does not say is said by the request that carried it. */
export interface BatchMessage {
  readonly flag: number;
  readonly body: Uint8Array;
  readonly properties: Uint8Array;
}

/** totalSize, two zeros (magic and CRC, unused here), flag, bodyLength: four bytes each. */
const HEAD_BYTES = 20;
const MIN_RECORD_BYTES = HEAD_BYTES + 2;
/** A batch of the smallest records has many more than any producer sends. */
const MAX_RECORDS = 10_000;

/**
 * Takes a batch apart: records of totalSize 4 | 0 4 | 0 4 | flag 4 | bodyLength 4, body | propertiesLength 2, properties, one after the
 * other (reference: storage-node 4.4; upstream: `MessageDecoder.decodeMessages`). Bodies and properties are views.
 *
 * @throws CommandError MESSAGE_ILLEGAL when a length does not fit, or there are no records or too many: of such a batch nothing may be stored
 */
export function decodeBatch(bytes: Buffer): BatchMessage[] {
  const messages: BatchMessage[] = [];
  for (let at = 0; at < bytes.length; ) {
    const record = recordAt(bytes, at);
    if (messages.length === MAX_RECORDS) throw illegal(`it has more than ${MAX_RECORDS} records`);
    messages.push(decodeRecord(record, at));
    at += record.length;
  }
  if (messages.length === 0) throw illegal('it is empty');
  return messages;
}

function recordAt(bytes: Buffer, at: number): Buffer {
  const left = bytes.length - at;
  const size = left < MIN_RECORD_BYTES ? left : bytes.readInt32BE(at);
  if (size < MIN_RECORD_BYTES || size > left) throw illegal(`the record at ${at} has ${size} of ${left} bytes left`);
  return bytes.subarray(at, at + size);
}

function decodeRecord(record: Buffer, at: number): BatchMessage {
  const bodyLength = record.readInt32BE(16);
  const propertiesAt = HEAD_BYTES + bodyLength + 2;
  if (bodyLength < 0 || propertiesAt > record.length) throw illegal(`the record at ${at} has a body of ${bodyLength}`);
  const propertiesLength = record.readInt16BE(propertiesAt - 2);
  if (propertiesAt + propertiesLength !== record.length)
    throw illegal(`the record at ${at} has properties of ${propertiesLength} bytes`);
  return {
    flag: record.readInt32BE(12),
    body: record.subarray(HEAD_BYTES, propertiesAt - 2),
    properties: record.subarray(propertiesAt),
  };
}

function illegal(why: string): CommandError {
  return new CommandError(ResponseCode.MESSAGE_ILLEGAL, `the body is no batch of messages: ${why}`);
}
