import { RemotingError } from '@rmqns/remoting';
import { expect } from 'chai';
import { formatInetHost, inetHost } from '../src/inet-host.js';
import { messageId } from '../src/message-id.js';

describe('the message id', () => {
  it('is address, port and physical offset in upper-case hex', () => {
    expect(messageId(inetHost('127.0.0.1', 21911), 440)).to.equal('7F0000010000559700000000000001B8');
    expect(messageId(inetHost('192.168.1.254', 65535), 2 ** 40)).to.equal('C0A801FE0000FFFF0000010000000000');
  });

  it('has 56 digits with an IPv6 address', () => {
    expect(messageId(inetHost('2001:db8::1', 10911), 1)).to.equal(
      '20010DB800000000000000000000000100002A9F0000000000000001',
    );
  });
});

describe('an address in bytes', () => {
  for (const [text, hex] of [
    ['127.0.0.1', '7f000001'],
    ['::ffff:10.0.0.9', '0a000009'],
    ['::1', '00000000000000000000000000000001'],
    ['::', '00000000000000000000000000000000'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221'],
  ] as const) {
    it(`of ${text} is ${hex}`, () => {
      expect(inetHost(text, 1).address.toString('hex')).to.equal(hex);
    });
  }

  it('cannot be made of a name', () => {
    expect(() => inetHost('localhost', 1)).to.throw(RemotingError, '"localhost" is no IP address');
  });

  it('prints with its port', () => {
    expect(formatInetHost(inetHost('10.0.0.1', 5))).to.equal('10.0.0.1:5');
    expect(formatInetHost(inetHost('fe80::1', 5))).to.equal('[fe80:0:0:0:0:0:0:1]:5');
  });
});
