import type { ProxyProtocolHeader } from './proxy-protocol-header.js';
import { readProxyProtocolV1 } from './proxy-protocol-v1.js';
import { readProxyProtocolV2 } from './proxy-protocol-v2.js';

/** The first bytes of version 1. */
const V1_SIGNATURE = Buffer.from('PROXY ', 'latin1');
/** The first bytes of version 2. */
const V2_SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/**
 * Looks for a header at the start of a connection's bytes. The first byte that no header has there decides that there is none, so a peer that
 * sends something else is not kept waiting for more.
 *
 * @returns the header; `'absent'` when the bytes begin with none; `'incomplete'` while they may be the start of one
 * @throws DecodeError for one that begins right and then breaks the rules, as soon as its bytes show it
 */
export function readProxyProtocolHeader(bytes: Buffer): ProxyProtocolHeader | 'absent' | 'incomplete' {
  const first = bytes[0];
  if (first === undefined) return 'incomplete';
  const isV1 = first === V1_SIGNATURE[0];
  const signature = isV1 ? V1_SIGNATURE : V2_SIGNATURE;
  const length = Math.min(bytes.length, signature.length);
  if (bytes.compare(signature, 0, length, 0, length) !== 0) return 'absent';
  if (bytes.length < signature.length) return 'incomplete';
  return (isV1 ? readProxyProtocolV1(bytes) : readProxyProtocolV2(bytes)) ?? 'incomplete';
}
