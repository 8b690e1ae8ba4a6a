import { ipAddressText } from './ip-address.js';
import {
  badProxyHeader,
  type ProxiedEndpoint,
  type ProxyProtocolHeader,
  type ProxyProtocolTlv,
} from './proxy-protocol-header.js';

/** Signature 12, version and command 1, family and transport 1, length 2. */
const FIXED_BYTES = 16;
const VERSION_2 = 2;
const LOCAL = 0;
const PROXY = 1;
/** Bytes of one address; Unix socket paths are padded with NUL. */
const FAMILIES = { 1: 4, 2: 16, 3: 108 } as const;
/** A piece that holds how a client's TLS was, one byte and four, and then pieces of its own. */
const SSL_TLV = 0x20;
const SSL_FIXED_BYTES = 5;

/**
 * Reads a version 2 header, binary: 12 bytes of signature, the version and command, the address family and transport, the length of
 * what follows (at most 65,535), two addresses, two ports, and pieces of type, length and value. The bytes begin with the signature.
 *
 * @returns `undefined` while it is not whole
 * @throws DecodeError as soon as a byte shows that it breaks the rules
 */
export function readProxyProtocolV2(bytes: Buffer): ProxyProtocolHeader | undefined {
  const command = commandOf(bytes[12]);
  const family = familyOf(bytes[13]);
  if (bytes.length < FIXED_BYTES) return undefined;
  const end = FIXED_BYTES + bytes.readUInt16BE(14);
  const isProxied = command === PROXY && family !== undefined;
  const addressBytes = isProxied ? FAMILIES[family] : 0;
  const portBytes = family === 3 ? 0 : 2;
  const tlvsAt = FIXED_BYTES + 2 * (addressBytes + portBytes);
  if (isProxied && tlvsAt > end)
    throw badProxyHeader(`it has ${end - FIXED_BYTES} bytes where its addresses alone take ${tlvsAt - FIXED_BYTES}`);
  if (bytes.length < end) return undefined;
  const header = { version: 2, headerBytes: end } as const;
  // What else such a header holds is to be skipped, so the specification says.
  if (!isProxied) return { ...header, source: undefined, destination: undefined, tlvs: [] };
  const portsAt = FIXED_BYTES + 2 * addressBytes;
  const endpoint = (index: 0 | 1): ProxiedEndpoint => {
    const at = FIXED_BYTES + index * addressBytes;
    return {
      address: textOf(bytes.subarray(at, at + addressBytes)),
      port: portBytes === 0 ? 0 : bytes.readUInt16BE(portsAt + index * 2),
    };
  };
  const tlvs: ProxyProtocolTlv[] = [];
  readTlvs(bytes.subarray(tlvsAt, end), tlvs);
  return { ...header, source: endpoint(0), destination: endpoint(1), tlvs };
}

function commandOf(byte: number | undefined): number {
  if (byte === undefined) return PROXY;
  if (byte >> 4 !== VERSION_2) throw badProxyHeader(`version ${byte >> 4}, which is not 2`);
  const command = byte & 0xf;
  if (command !== LOCAL && command !== PROXY) throw badProxyHeader(`command ${command}, where 0 and 1 exist`);
  return command;
}

/** The family whose addresses follow; `undefined` for one that the proxy does not name. */
function familyOf(byte: number | undefined): keyof typeof FAMILIES | undefined {
  if (byte === undefined) return undefined;
  const family = byte >> 4;
  const transport = byte & 0xf;
  if (family > 3 || transport > 2)
    throw badProxyHeader(`family ${family} and transport ${transport}, where 0 to 3 and 0 to 2 exist`);
  return family === 0 || transport === 0 ? undefined : (family as keyof typeof FAMILIES);
}

function textOf(address: Buffer): string {
  if (address.length <= 16) return ipAddressText(address);
  const nul = address.indexOf(0);
  return address.toString('utf8', 0, nul < 0 ? address.length : nul);
}

/** Reads pieces into a list; the pieces within an SSL one follow it, one level deep. */
function readTlvs(bytes: Buffer, into: ProxyProtocolTlv[], withinSsl = false): void {
  let at = 0;
  while (at < bytes.length) {
    const valueAt = at + 3;
    const end = valueAt > bytes.length ? valueAt : valueAt + bytes.readUInt16BE(at + 1);
    if (end > bytes.length) throw badProxyHeader('a piece is longer than what holds it');
    const type = bytes.readUInt8(at);
    const value = bytes.subarray(valueAt, end);
    into.push({ type, value });
    if (type === SSL_TLV && !withinSsl) {
      if (value.length < SSL_FIXED_BYTES) throw badProxyHeader('its SSL piece is cut');
      readTlvs(value.subarray(SSL_FIXED_BYTES), into, true);
    }
    at = end;
  }
}
