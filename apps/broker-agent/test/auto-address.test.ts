import { isIPv4 } from 'node:net';
import { expect } from 'chai';
import { autoAddress, describeAutoAddress } from '../src/auto-address.js';
import type { Surroundings } from '../src/surroundings.js';

/** `lo 127.0.0.1, eth0 10.0.0.1 fe80::1`, as `os.networkInterfaces()` tells it. */
function machine(text: string): Surroundings['networkInterfaces'] {
  const entries = text.split(', ').map((part): [string, { address: string; internal: boolean }[]] => {
    const [name = '', ...addresses] = part.split(' ');
    return [name, addresses.map((address) => ({ address, internal: address === '::1' || address.startsWith('127.') }))];
  });
  const other = { netmask: '', mac: '', cidr: null, scopeid: 0 };
  return Object.fromEntries(
    entries.map(([name, addresses]) => [
      name,
      addresses.map(({ address, internal }) =>
        isIPv4(address)
          ? { ...other, address, internal, family: 'IPv4' as const, scopeid: undefined as never }
          : { ...other, address, internal, family: 'IPv6' as const },
      ),
    ]),
  );
}

describe('the own address', () => {
  const cases: [machine: string, wanted: string | undefined, taken: string | RegExp][] = [
    ['lo 127.0.0.1 ::1, eth0 10.0.0.1', undefined, '10.0.0.1 eth0'],
    ['lo 127.0.0.1, docker0 172.17.0.1, eth0 10.0.0.1, eth1 192.168.0.9', undefined, '10.0.0.1 eth0'],
    ['lo 127.0.0.1, docker0 172.17.0.1, eth0 10.0.0.1, eth1 192.168.0.9', 'eth1', '192.168.0.9 eth1'],
    ['lo 127.0.0.1, eth0 172.17.0.2', undefined, '172.17.0.2 eth0'],
    ['lo 127.0.0.1, eth0 fe80::1 2001:db8::1 10.0.0.1', undefined, '10.0.0.1 eth0'],
    ['lo 127.0.0.1, eth0 fe80::1 2001:db8::1', undefined, '2001:db8::1 eth0'],
    ['lo 127.0.0.1, eth0 2001:db8::1, eth1 10.0.0.1', undefined, '10.0.0.1 eth1'],
    ['lo 127.0.0.1, eth0 2001:db8::1, eth1 10.0.0.1', 'eth0', '2001:db8::1 eth0'],
    ['lo 127.0.0.1, eth0 169.254.7.7 10.0.0.1', undefined, '10.0.0.1 eth0'],
    ['br-lan 192.168.1.1, br-0123456789ab 172.18.0.1', undefined, '192.168.1.1 br-lan'],
    ['cni0 10.42.0.1, flannel.1 10.42.0.0, cali1a2b 10.1.0.1, bond0.100 10.0.0.1', undefined, '10.0.0.1 bond0.100'],
    ['veth12 169.254.1.1, kube-ipvs0 10.96.0.1, virbr0 192.168.122.1, en0 10.0.0.1', undefined, '10.0.0.1 en0'],
    ['lo 127.0.0.1', undefined, /^this machine has no address that others can dial/],
    ['lo 127.0.0.1, docker0 172.17.0.1', undefined, /^this machine has no address that others can dial/],
    ['lo 127.0.0.1, docker0 172.17.0.1', 'docker0', /^interface docker0 has no address that others can dial/],
    ['lo 127.0.0.1, eth0 10.0.0.1', 'lo', /^interface lo has no address that others can dial/],
    ['lo 127.0.0.1, eth0 fe80::1', 'eth0', /^interface eth0 has no address that others can dial/],
    ['lo 127.0.0.1, eth0 10.0.0.1', 'eth7', 'this machine has no interface eth7, only lo, eth0'],
  ];
  for (const [text, wanted, taken] of cases)
    it(`of ${text}${wanted === undefined ? '' : ` by ${wanted}`}`, () => {
      const found = autoAddress(machine(text), wanted);
      const said = found.problem ?? `${found.address} ${found.interfaceName}`;
      if (typeof taken === 'string') expect(said).to.equal(taken);
      else expect(said).to.match(taken);
    });

  it('is told with those that could have been taken', () => {
    const found = autoAddress(machine('lo 127.0.0.1, eth0 10.0.0.1, eth1 192.168.0.9 2001:db8::1'));
    if (found.problem !== undefined) throw new Error(found.problem);
    expect(describeAutoAddress(found)).to.equal(
      'took 10.0.0.1 of interface eth0, there are also 192.168.0.9 of eth1, 2001:db8::1 of eth1',
    );
    const one = autoAddress(machine('eth0 10.0.0.1'));
    expect(one.problem === undefined && describeAutoAddress(one)).to.equal('took 10.0.0.1 of interface eth0');
  });
});
