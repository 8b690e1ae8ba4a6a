import { bodyCrc32 } from '@rmqns/protocol';
import { DecodeError } from '@rmqns/remoting/command';
import { type Long, toLong } from '@rmqns/remoting/json';
import type { InetHost } from './inet-host.js';
import { MessageSysFlag } from './message-sys-flag.js';

/** A message as a node keeps it and consumers read it. */
export interface StoredMessage {
  readonly topic: string;
  readonly queueId: number;
  /** The application's own, handed through. */
  readonly flag: number;
  /** The place in its queue, from 0. */
  readonly queueOffset: number;
  /** Unique in the node, and only growing. */
  readonly physicalOffset: number;
  /** Bits of MessageSysFlag and the compression algorithm; those of the addresses are set from the addresses. */
  readonly sysFlag: number;
  readonly bornTimestamp: Long;
  readonly bornHost: InetHost;
  readonly storeTimestamp: number;
  readonly storeHost: InetHost;
  readonly reconsumeTimes: number;
  /** As it was sent, compressed or not. */
  readonly body: Uint8Array;
  /** The property text, as it was sent. */
  readonly properties: Uint8Array;
}

/** `DA A3 20 A7`: what follows has a topic length of one byte. */
const MAGIC = -626843481;
/** All fields of fixed size, the two hosts aside. */
const FIXED_BYTES = 75;
/** A port has four bytes here. */
const PORT_BYTES = 4;

/**
 * Writes a message the way consumers read it, big-endian (reference: storage-node 5.1; upstream: `MessageDecoder`):
 *
 *     totalSize 4 | magic 4 | bodyCRC 4 | queueId 4 | flag 4 | queueOffset 8 | physicalOffset 8 | sysFlag 4 | bornTimestamp 8
 *     bornHost 4 or 16, port 4 | storeTimestamp 8 | storeHost 4 or 16, port 4 | reconsumeTimes 4 | preparedTransactionOffset 8
 *     bodyLength 4, body | topicLength 1, topic | propertiesLength 2, properties
 *
 * The caller has checked that topic (127 bytes) and properties (32,767 bytes) fit their lengths.
 */
export function encodeStoredMessage(message: StoredMessage): Buffer {
  const { bornHost, storeHost, body, properties } = message;
  const topic = Buffer.from(message.topic);
  const hostBytes = bornHost.address.length + storeHost.address.length + 2 * PORT_BYTES;
  const bytes = Buffer.allocUnsafe(FIXED_BYTES + hostBytes + body.length + topic.length + properties.length);
  let at = 0;
  const int32 = (value: number): void => {
    at = bytes.writeInt32BE(value, at);
  };
  const int64 = (value: Long): void => {
    at = bytes.writeBigInt64BE(BigInt(value), at);
  };
  const raw = (value: Uint8Array): void => {
    bytes.set(value, at);
    at += value.length;
  };
  int32(bytes.length);
  int32(MAGIC);
  int32(bodyCrc32(body));
  int32(message.queueId);
  int32(message.flag);
  int64(message.queueOffset);
  int64(message.physicalOffset);
  int32(withHostBits(message));
  int64(message.bornTimestamp);
  raw(bornHost.address);
  int32(bornHost.port);
  int64(message.storeTimestamp);
  raw(storeHost.address);
  int32(storeHost.port);
  int32(message.reconsumeTimes);
  int64(0);
  int32(body.length);
  raw(body);
  at = bytes.writeUInt8(topic.length, at);
  raw(topic);
  at = bytes.writeInt16BE(properties.length, at);
  raw(properties);
  return bytes;
}

/**
 * Reads the message at the start of `bytes`; what follows its totalSize is the next one's. Body and properties are views.
 *
 * @throws DecodeError when the bytes are no whole message
 */
export function decodeStoredMessage(bytes: Buffer): StoredMessage {
  try {
    return read(bytes.subarray(0, bytes.readInt32BE(0)));
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('the message is cut off', { cause: error });
    throw error;
  }
}

function read(bytes: Buffer): StoredMessage {
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
  const host = (isV6: boolean): InetHost => ({ address: raw(isV6 ? 16 : 4), port: int32() });
  const totalSize = int32();
  if (totalSize !== bytes.length) throw new DecodeError(`the message says it has ${totalSize} bytes`);
  if (int32() !== MAGIC) throw new DecodeError('the message begins with a magic nobody knows');
  int32(); // The checksum is made anew when encoding.
  const queueId = int32();
  const flag = int32();
  const queueOffset = Number(int64());
  const physicalOffset = Number(int64());
  const sysFlag = int32();
  const bornTimestamp = int64();
  const bornHost = host((sysFlag & MessageSysFlag.BORN_HOST_V6) !== 0);
  const storeTimestamp = Number(int64());
  const storeHost = host((sysFlag & MessageSysFlag.STORE_HOST_V6) !== 0);
  const reconsumeTimes = int32();
  int64(); // preparedTransactionOffset: 0 in all messages that consumers see.
  const body = raw(int32());
  const topic = raw(raw(1).readUInt8()).toString('utf8');
  const properties = raw(raw(2).readInt16BE());
  return {
    topic,
    queueId,
    flag,
    queueOffset,
    physicalOffset,
    sysFlag,
    bornTimestamp,
    bornHost,
    storeTimestamp,
    storeHost,
    reconsumeTimes,
    body,
    properties,
  };
}

function withHostBits({ sysFlag, bornHost, storeHost }: StoredMessage): number {
  const others = sysFlag & ~(MessageSysFlag.BORN_HOST_V6 | MessageSysFlag.STORE_HOST_V6);
  const born = bornHost.address.length === 16 ? MessageSysFlag.BORN_HOST_V6 : 0;
  const store = storeHost.address.length === 16 ? MessageSysFlag.STORE_HOST_V6 : 0;
  return others | born | store;
}
