import { BlockList, isIP } from 'node:net';
import { RemotingError } from '../errors.js';

const mapped = /^::ffff:(?=\d+\.)/i;

/** A set of IP addresses, written as single ones and as ranges such as `10.0.0.0/8` or `fd00::/8` (CIDR). */
export class AddressRange {
  // Apart: Node takes an IPv4 address for one of `::/0`.
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @throws RemotingError `INVALID_ARGUMENT` for a text that is neither an address nor a range */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.#add(text);
  }

  /** Whether an address is in the set. A name never is: nothing is resolved here. */
  includes(host: string): boolean {
    // As a dual-stack socket shows an IPv4 peer.
    const address = host.replace(mapped, '');
    const version = isIP(address);
    return version !== 0 && this.#lists[family(version)].check(address, family(version));
  }

  #add(text: string): void {
    const [address = '', bits, ...more] = text.split('/');
    const version = isIP(address);
    const maxBits = version === 4 ? 32 : 128;
    const isRight = version !== 0 && !address.includes('%') && more.length === 0;
    if (!isRight || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))) {
      const message = `${JSON.stringify(text)} is no IP address, and no range of them such as 10.0.0.0/8`;
      throw new RemotingError('INVALID_ARGUMENT', message);
    }
    const kind = family(version);
    this.#lists[kind].addSubnet(address, bits === undefined ? maxBits : Number(bits), kind);
  }
}

function family(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}
