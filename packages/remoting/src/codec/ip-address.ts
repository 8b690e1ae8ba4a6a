const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6_CHARACTERS = /^[\da-fA-F:.]+$/;
/** The first bytes of an IPv6 address that stands for an IPv4 one. */
const MAPPED_IPV4 = Buffer.from('00000000000000000000ffff', 'hex');

/** Whether a text is an IPv4 address: four decimal numbers without leading zeros. */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** Whether a text is an IPv6 address, without brackets or a scope such as `%eth0`. */
export function isIpv6(text: string): boolean {
  return IPV6_CHARACTERS.test(text) && URL.canParse(`http://[${text}]`);
}

/** The text of an address of 4 or 16 bytes: IPv6 in its short form (RFC 5952), one that stands for an IPv4 address as `::ffff:a.b.c.d`. */
export function ipAddressText(address: Buffer): string {
  if (address.length === 4) return address.join('.');
  if (address.compare(MAPPED_IPV4, 0, 12, 0, 12) === 0) return `::ffff:${address.subarray(12).join('.')}`;
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) groups.push(address.readUInt16BE(at).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** The 16 bytes of an IPv6 address. */
export function ipv6Bytes(text: string): Buffer {
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined): number[] =>
    part === undefined || part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const first = groups(head);
  const last = groups(tail);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of first.entries()) bytes.writeUInt16BE(group, 2 * index);
  for (const [index, group] of last.entries()) bytes.writeUInt16BE(group, 16 - 2 * last.length + 2 * index);
  return bytes;
}
