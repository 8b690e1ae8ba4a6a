import { isIPv4, isIPv6 } from 'node:net';
import { RemotingError } from '@rmqns/remoting/command';

/** An address with its port, as it stands in messages and their ids. */
export interface InetHost {
  /** 4 bytes of IPv4, or 16 of IPv6. */
  readonly address: Buffer;
  readonly port: number;
}

/**
 * An address in text as bytes. IPv4 that a dual-stack socket shows as `::ffff:a.b.c.d` becomes IPv4.
 *
 * @throws RemotingError `INVALID_ARGUMENT` when `host` is a name, or nothing that can be dialled
 */
export function inetHost(host: string, port: number): InetHost {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain)) return { address: Buffer.from(plain.split('.').map(Number)), port };
  if (isIPv6(plain)) return { address: ipv6Bytes(plain), port };
  throw new RemotingError('INVALID_ARGUMENT', `${JSON.stringify(host)} is no IP address, and only such fits a message`);
}

/** `a.b.c.d:port`, or `[v6]:port` with all eight groups. */
export function formatInetHost({ address, port }: InetHost): string {
  if (address.length === 4) return `${address.join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, i) => address.readUInt16BE(2 * i).toString(16));
  return `[${groups.join(':')}]:${port}`;
}

function ipv6Bytes(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const left = ipv6Groups(head);
  const right = ipv6Groups(tail);
  const zeros = new Array<number>(8 - left.length - right.length).fill(0);
  return Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]));
}

function ipv6Groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
