/** A version 2 header. */
export interface ProxyV2 {
  /** Version and command; default 0x21, PROXY. */
  readonly command?: number;
  /** Family and transport; default 0x11, TCP over IPv4. */
  readonly family?: number;
  /** Addresses and ports; default 10.1.2.3:4000 to 10.4.5.6:9876. */
  readonly addresses?: Buffer;
  readonly tlvs?: readonly Buffer[];
  /** Default the right one. */
  readonly length?: number;
}

export function proxyV2(init: ProxyV2 = {}): Buffer {
  const { command = 0x21, family = 0x11, tlvs = [] } = init;
  const addresses = init.addresses ?? Buffer.from('0a010203' + '0a040506' + '0fa0' + '2694', 'hex');
  const rest = Buffer.concat([addresses, ...tlvs]);
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = command;
  head[13] = family;
  head.writeUInt16BE(init.length ?? rest.length, 14);
  return Buffer.concat([head, rest]);
}

export function tlv(type: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value as string);
  const head = Buffer.of(type, 0, 0);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
