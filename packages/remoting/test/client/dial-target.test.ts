import { expect } from 'chai';
import { nameOf, parseDialTarget } from '../../src/client/dial-target.js';
import { RemotingError } from '../../src/errors.js';

describe('parseDialTarget', () => {
  const tooBig = /0 to 65535/;
  const table: [string, object | RegExp][] = [
    ['127.0.0.1:9876', { host: '127.0.0.1', port: 9876 }],
    ['localhost:9876', { host: 'localhost', port: 9876 }],
    ['broker-a.mq.svc.cluster.local:10911', { host: 'broker-a.mq.svc.cluster.local', port: 10911 }],
    ['[::1]:9876', { host: '::1', port: 9876 }],
    ['::1:9876', { host: '::1', port: 9876 }],
    ['[fe80::]:8080', { host: 'fe80::', port: 8080 }],
    ['[fe80::1%eth0]:8080', { host: 'fe80::1%eth0', port: 8080 }],
    ['[::ffff:10.0.0.1]:9876', { host: '::ffff:10.0.0.1', port: 9876 }],
    ['0.0.0.0:8080', { host: '0.0.0.0', port: 8080 }],
    ['unix:/run/rmqns.sock', { path: '/run/rmqns.sock' }],
    ['unix:/tmp/with space:and colon', { path: '/tmp/with space:and colon' }],
    ['localhost', tooBig],
    ['localhost:65536', tooBig],
    [':9876', /the host is missing/],
    ['[::1]', tooBig],
    ['http://localhost:9876', /an address has no scheme/],
    ['unix:relative.sock', /must be absolute/],
    ['', tooBig],
  ];
  for (const [text, expected] of table) {
    it(`${expected instanceof RegExp ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () => {
      if (expected instanceof RegExp) {
        expect(() => parseDialTarget(text))
          .to.throw(RemotingError, expected)
          .with.property('code', 'INVALID_ARGUMENT');
      } else expect(parseDialTarget(text)).to.deep.equal(expected);
    });
  }

  it('tells names, which must be resolved, from addresses', () => {
    expect(['a:1', '1.2.3.4:1', '[::1]:1', 'unix:/x'].map((text) => nameOf(parseDialTarget(text)))).to.deep.equal([
      'a',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
