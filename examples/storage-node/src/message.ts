import { isIPv4 } from 'node:net';
import { bodyCrc32 } from '@rmqns/protocol';
import { parseSocketAddress, RemotingError } from '@rmqns/remoting';
import type { Long } from '@rmqns/remoting/json';

/** A message as it was sent. */
export interface Message {
  /** The application's own, handed through. */
  readonly flag: number;
  /** Bits of MessageSysFlag, and the compression algorithm. */
  readonly sysFlag: number;
  readonly bornTimestamp: Long;
  /** The producer; see {@link hostBytes}. */
  readonly bornHost: Buffer;
  readonly reconsumeTimes: number;
  /** Compressed or not. */
  readonly body: Uint8Array;
  /** The property text; see {@link messageProperties}. */
  readonly properties: Uint8Array;
}

/** Where and when a message was stored. */
export interface Place {
  readonly topic: string;
  readonly queueId: number;
  /** The place in its queue, from 0. */
  readonly queueOffset: number;
  /** Unique in the node, and only growing. */
  readonly physicalOffset: number;
  readonly storeTimestamp: number;
  /** The node, as clients dial it. */
  readonly storeHost: Buffer;
}

/** Bits of a message's `sysFlag` that concern a node (reference: storage-node 4.3; upstream: `MessageSysFlag`). */
export const MessageSysFlag = {
  /** Both bits of the transaction's state. */
  TRANSACTION_MASK: 0xc,
  TRANSACTION_PREPARED: 0x4,
  /** Addresses of 16 bytes, and batches to be unwrapped by the consumer: the node's to say, and here never so. */
  NODE_MASK: 0xf0,
} as const;

/** `DA A3 20 A7`: what follows has a topic length of one byte. */
const MAGIC = -626843481;
/** All fields of fixed size, both hosts included. */
const FIXED_BYTES = 91;

/**
 * Writes a message the way consumers read it, big-endian (reference: storage-node 5.1; upstream: `MessageDecoder`):
 *
 *     totalSize 4 | magic 4 | bodyCRC 4 | queueId 4 | flag 4 | queueOffset 8 | physicalOffset 8 | sysFlag 4 | bornTimestamp 8
 *     bornHost 8 | storeTimestamp 8 | storeHost 8 | reconsumeTimes 4 | preparedTransactionOffset 8
 *     bodyLength 4, body | topicLength 1, topic | propertiesLength 2, properties
 *
 * The caller has checked that topic (127 bytes) and properties (32,767 bytes) fit their lengths.
 */
export function encodeMessage(message: Message, place: Place): Buffer {
  const { body, properties } = message;
  const topic = Buffer.from(place.topic);
  // Messages are kept: out of Node's pool each would hold a slab of many others' bytes.
  const bytes = Buffer.allocUnsafeSlow(FIXED_BYTES + body.length + topic.length + properties.length);
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
  int32(place.queueId);
  int32(message.flag);
  int64(place.queueOffset);
  int64(place.physicalOffset);
  int32(message.sysFlag & ~MessageSysFlag.NODE_MASK);
  int64(message.bornTimestamp);
  raw(message.bornHost);
  int64(place.storeTimestamp);
  raw(place.storeHost);
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
 * The id of a stored message: the node's address and the physical offset, 8 bytes each, in upper-case hex. Consumers compute the same
 * from the message itself (reference: storage-node 4.2; upstream: `MessageDecoder.createMessageId`).
 */
export function messageId({ storeHost, physicalOffset }: Place): string {
  const offset = Buffer.alloc(8);
  offset.writeBigInt64BE(BigInt(physicalOffset));
  return Buffer.concat([storeHost, offset]).toString('hex').toUpperCase();
}

/**
 * An address as it stands in messages and their ids: IPv4 4, port 4.
 *
 * @throws RemotingError `INVALID_ARGUMENT` when it is no IPv4 address with a port
 */
export function hostBytes(address: string): Buffer {
  const { host, port } = parseSocketAddress(address);
  if (!isIPv4(host))
    throw new RemotingError(
      'INVALID_ARGUMENT',
      `${host} is no IPv4 address, and this node puts only such into messages`,
    );
  const bytes = Buffer.from([...host.split('.').map(Number), 0, 0, 0, 0]);
  bytes.writeInt32BE(port, 4);
  return bytes;
}

/**
 * Takes a property text apart: name U+0001 value U+0002, repeated; the last U+0002 may be missing, and of equal names the last counts
 * (reference: storage-node 5.2; upstream: `MessageDecoder.string2messageProperties`).
 */
export function messageProperties(bytes: Uint8Array): Map<string, string> {
  const properties = new Map<string, string>();
  for (const item of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').split('\u0002')) {
    const end = item.indexOf('\u0001');
    if (end > 0) properties.set(item.slice(0, end), item.slice(end + 1));
  }
  return properties;
}
