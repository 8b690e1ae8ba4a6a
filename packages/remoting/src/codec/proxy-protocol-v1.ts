import { isIpv4, isIpv6 } from './ip-address.js';
import { badProxyHeader, type ProxiedEndpoint, type ProxyProtocolHeader } from './proxy-protocol-header.js';

/** The longest header: UNKNOWN with two IPv6 addresses and ports, line end included. */
const MAX_BYTES = 107;
const CR = 0x0d;
const LF = 0x0a;
const PORT = /^(?:0|[1-9]\d{0,4})$/;

/**
 * Reads a version 1 header, one line of text: `PROXY TCP4 source destination sourcePort destinationPort`, or `PROXY UNKNOWN` and
 * anything, ended by CR LF. The bytes begin with `PROXY ` and a blank.
 *
 * @returns `undefined` while the line has no end
 * @throws DecodeError when it has none within 107 bytes, or does not say what it should
 */
export function readProxyProtocolV1(bytes: Buffer): ProxyProtocolHeader | undefined {
  const window = bytes.subarray(0, MAX_BYTES);
  const cr = window.indexOf(CR);
  if (cr < 0 || cr + 1 >= window.length) {
    if (window.length < MAX_BYTES) return undefined;
    throw badProxyHeader(`its line has no end within ${MAX_BYTES} bytes`);
  }
  if (window[cr + 1] !== LF) throw badProxyHeader('a CR without LF');
  const [, family, source, destination, sourcePort, destinationPort, ...more] = window
    .toString('latin1', 0, cr)
    .split(' ');
  const header = { version: 1, headerBytes: cr + 2, tlvs: [] } as const;
  if (family === 'UNKNOWN') return { ...header, source: undefined, destination: undefined };
  if (family !== 'TCP4' && family !== 'TCP6') throw badProxyHeader('its family is none of TCP4, TCP6, UNKNOWN');
  if (destinationPort === undefined || more.length > 0)
    throw badProxyHeader('it must have two addresses and two ports');
  const isAddress = family === 'TCP4' ? isIpv4 : isIpv6;
  return {
    ...header,
    source: endpoint(source, sourcePort, isAddress, family),
    destination: endpoint(destination, destinationPort, isAddress, family),
  };
}

function endpoint(
  address: string | undefined,
  port: string | undefined,
  isAddress: (text: string) => boolean,
  family: string,
): ProxiedEndpoint {
  if (address === undefined || !isAddress(address)) throw badProxyHeader(`an address that is none of ${family}`);
  if (port === undefined || !PORT.test(port) || Number(port) > 65_535) throw badProxyHeader('a port that is none');
  return { address, port: Number(port) };
}
