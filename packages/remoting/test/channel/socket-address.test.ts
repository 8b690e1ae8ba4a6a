import { expect } from 'chai';
import { formatSocketAddress, parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingError } from '../../src/errors.js';

describe('socket addresses', () => {
  for (const [host, port, text] of [
    ['10.0.0.1', 9876, '10.0.0.1:9876'],
    ['broker-a.example', 10911, 'broker-a.example:10911'],
    ['::1', 9876, '[::1]:9876'],
    ['fe80::1%eth0', 1, '[fe80::1%eth0]:1'],
    ['::ffff:10.0.0.1', 9876, '10.0.0.1:9876'],
    ['::FFFF:10.0.0.1', 9876, '10.0.0.1:9876'],
    ['::ffff:a00:1', 9876, '[::ffff:a00:1]:9876'],
  ] as const) {
    it(`shows ${host} and ${port} as ${text}`, () => {
      expect(formatSocketAddress(host, port)).to.equal(text);
    });
  }

  for (const [text, host, port] of [
    ['10.0.0.1:9876', '10.0.0.1', 9876],
    ['localhost:0', 'localhost', 0],
    ['host:65535', 'host', 65535],
    ['[::1]:9876', '::1', 9876],
    ['::1:9876', '::1', 9876],
    ['2001:db8::2:80', '2001:db8::2', 80],
    ['[fe80::1%eth0]:1', 'fe80::1%eth0', 1],
  ] as const) {
    it(`reads ${text} as ${host} and ${port}`, () => {
      expect(parseSocketAddress(text)).to.deep.equal({ host, port });
    });
  }

  for (const text of [
    '',
    'host',
    'host:',
    ':9876',
    'host:65536',
    'host:-1',
    'host:1.5',
    'host:0x10',
    'host: 80',
    'ho st:80',
    'http://host:80',
    '[::1]',
    '[]:80',
    '[host]:80',
    '[::1:80',
    '[[::1]]:80',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseSocketAddress(text))
        .to.throw(RemotingError, text === '' ? /^"" is no host:port: / : JSON.stringify(text))
        .with.property('code', 'INVALID_ARGUMENT');
    });
  }
});
