import { inspect } from 'node:util';
import { expect } from 'chai';
import { SocksProxies, type SocksProxyMap } from '../../src/client/socks-proxies.js';
import type { RemotingError } from '../../src/errors.js';

describe('SocksProxies', () => {
  const map: SocksProxyMap = {
    '10.0.0.0/8': { addr: 'proxy-a:1080', username: 'ada', password: 'secret' },
    '192.168.0.0/16': null,
    'fd00::/8': { addr: '[::1]:1081' },
    '0.0.0.0/0': { addr: 'proxy-b:1082', username: '', password: null },
  };
  const found = (proxies: SocksProxies, host: string): string | undefined => proxies.find(host)?.address;

  it('finds the proxy of the first range that holds the target, from a map and from its JSON text', () => {
    for (const proxies of [new SocksProxies(map), new SocksProxies(JSON.stringify(map))]) {
      expect(['10.1.1.1', '192.168.1.1', 'fd00::1', '8.8.8.8', 'mq.example', '::1'].map((host) => found(proxies, host))) //
        .to.deep.equal(['proxy-a:1080', undefined, '[::1]:1081', 'proxy-b:1082', 'proxy-b:1082', 'proxy-b:1082']);
      expect(proxies.find('10.1.1.1')?.credentials()).to.deep.equal({ username: 'ada', password: 'secret' });
      expect(proxies.find('8.8.8.8')?.credentials()).to.equal(undefined);
    }
  });

  it('finds none for a name unless the range is of everything', () => {
    const proxies = new SocksProxies({ '10.0.0.0/8': { addr: 'proxy:1' } });
    expect([found(proxies, 'mq.example'), found(proxies, '11.0.0.1')]).to.deep.equal([undefined, undefined]);
    expect([new SocksProxies({}).isEmpty, new SocksProxies('{}').isEmpty]).to.deep.equal([true, true]);
  });

  it('says what is wrong, and nothing of what it was given', () => {
    const message = (config: unknown): string => {
      try {
        new SocksProxies(config as SocksProxyMap);
        return '';
      } catch (error) {
        expect((error as RemotingError).code).to.equal('INVALID_ARGUMENT');
        return inspect(error);
      }
    };
    const bad: [unknown, RegExp][] = [
      ['{"10.0.0.0/8":{"addr":"a:1","password":"secret"', /its text is not JSON/],
      ['["secret"]', /must be a map/],
      [undefined, /must be a map/],
      [{ proxy: { addr: 'a:1' } }, /"proxy" is no IP address/],
      [{ '10.0.0.0/8': { password: 'secret' } }, /10\.0\.0\.0\/8 has no addr/],
      [{ '10.0.0.0/8': 'secret' }, /has no addr/],
      [{ '10.0.0.0/8': { addr: 'a' } }, /"a" is no host:port/],
      [{ '10.0.0.0/8': { addr: 'a:1', username: 'é'.repeat(128) } }, /the username of 10\.0\.0\.0\/8 must be a text/],
      [{ '10.0.0.0/8': { addr: 'a:1', username: 'a', password: 5 } }, /the password of 10\.0\.0\.0\/8 must be a text/],
    ];
    for (const [config, expected] of bad)
      expect(message(config))
        .to.match(expected)
        .and.not.match(/secret/);
    expect(inspect(new SocksProxies(map).find('10.1.1.1'), { depth: 9, showHidden: true })).to.not.match(/secret/);
  });
});
