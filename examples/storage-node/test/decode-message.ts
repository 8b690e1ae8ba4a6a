import { DecodeError } from '@rmqns/remoting/command';
import { type Long, toLong } from '@rmqns/remoting/json';
import type { Message, Place } from '../src/message.js';

/**
 * Reads the message at the start of `bytes` as a consumer does; what follows its totalSize is the next one's. Body and properties are views.
 *
 * @throws DecodeError when the bytes are no whole message
 */
export function decodeMessage(bytes: Buffer): Message & Place {
  try {
    return read(bytes.subarray(0, bytes.readInt32BE(0)));
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('the message is cut off', { cause: error });
    throw error;
  }
}

/** All messages of a pull's answer. */
export function decodeMessages(body: Uint8Array | undefined): (Message & Place)[] {
  const messages: (Message & Place)[] = [];
  for (let rest = Buffer.from(body ?? []); rest.length > 0; rest = rest.subarray(rest.readInt32BE(0)))
    messages.push(decodeMessage(rest));
  return messages;
}

function read(bytes: Buffer): Message & Place {
  let at = 0;
  const int32 = (): number => {
    at += 4;
    return bytes.readInt32BE(at - 4);
  };
  const int64 = (): Long => {
    at += 8;
    return toLong(bytes.readBigInt64BE(at - 8)) ?? 0;
  };
  const raw = (length: number): Buffer => {
    if (length < 0 || at + length > bytes.length) throw new DecodeError(`a field of ${length} bytes passes the end`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  if (int32() !== bytes.length) throw new DecodeError('the length of the message is wrong');
  if (int32() !== -626843481) throw new DecodeError('the message begins with a magic nobody knows');
  int32(); // The checksum is made anew when encoding.
  const queueId = int32();
  const flag = int32();
  const queueOffset = Number(int64());
  const physicalOffset = Number(int64());
  const sysFlag = int32();
  const bornTimestamp = int64();
  const bornHost = raw(8);
  const storeTimestamp = Number(int64());
  const storeHost = raw(8);
  const reconsumeTimes = int32();
  int64(); // preparedTransactionOffset: 0 in all messages that consumers see.
  const body = raw(int32());
  const topic = raw(raw(1).readUInt8()).toString('utf8');
  const properties = raw(raw(2).readInt16BE());
  const place = { topic, queueId, queueOffset, physicalOffset, storeTimestamp, storeHost };
  return { ...place, flag, sysFlag, bornTimestamp, bornHost, reconsumeTimes, body, properties };
}
