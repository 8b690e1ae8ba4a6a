import { expect } from 'chai';
import { AddressRange } from '../../src/channel/address-range.js';
import type { RemotingError } from '../../src/errors.js';

describe('AddressRange', () => {
  it('holds single addresses and ranges of both families', () => {
    const range = new AddressRange(['10.0.0.0/8', '192.168.1.7', 'fd00::/8', '::1']);
    for (const inside of ['10.255.0.1', '192.168.1.7', '::ffff:10.1.1.1', 'fdff::2', '0:0:0:0:0:0:0:1'])
      expect(range.includes(inside), inside).to.equal(true);
    for (const outside of ['11.0.0.1', '192.168.1.8', 'fe00::1', '::2', 'localhost', '', '10.0.0.1:80'])
      expect(range.includes(outside), outside).to.equal(false);
  });

  it('keeps the families apart, also in ranges of everything', () => {
    expect([new AddressRange(['::/0']).includes('1.2.3.4'), new AddressRange(['::/0']).includes('fe80::1')])
      .to.deep //
      .equal([false, true]);
    const ipv4 = new AddressRange(['0.0.0.0/0']);
    expect([ipv4.includes('1.2.3.4'), ipv4.includes('::1')]).to.deep.equal([true, false]);
  });

  it('refuses a text that is neither', () => {
    for (const text of [
      '',
      'proxy',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '10.0.0',
      'fe80::1%0',
    ])
      expect(() => new AddressRange([text]), text)
        .to.throw(Error, JSON.stringify(text))
        .and.satisfy((error: RemotingError) => error.code === 'INVALID_ARGUMENT');
  });
});
