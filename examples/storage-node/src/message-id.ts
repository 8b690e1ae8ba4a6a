import type { InetHost } from './inet-host.js';

/**
 * The id of a stored message: address, port (4 bytes) and physical offset (8 bytes) in upper-case hex. Consumers compute the same from
 * the message itself, and `viewMessage` dials the address in it (reference: storage-node 4.2; upstream: `MessageDecoder.createMessageId`).
 */
export function messageId(storeHost: InetHost, physicalOffset: number): string {
  const tail = Buffer.alloc(12);
  tail.writeInt32BE(storeHost.port, 0);
  tail.writeBigInt64BE(BigInt(physicalOffset), 4);
  return Buffer.concat([storeHost.address, tail]).toString('hex').toUpperCase();
}
