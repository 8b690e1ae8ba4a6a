import { expect } from 'chai';
import fc from 'fast-check';
import { SocksHandshake } from '../../src/client/socks-handshake.js';

const hex = (bytes: Buffer | undefined): string | undefined => bytes?.toString('hex');

describe('SocksHandshake', () => {
  const login = { username: 'ada', password: 'lovelace' };
  const reply = (rest: string): Buffer => Buffer.from(`050000${rest}`, 'hex');

  it('offers no authentication, and username and password where it has them', () => {
    const target = { host: 'mq', port: 1 };
    expect(hex(new SocksHandshake(target, undefined).greeting())).to.equal('050100');
    expect(hex(new SocksHandshake(target, login).greeting())).to.equal('05020002');
  });

  it('asks for IPv4 and IPv6 addresses as such, and leaves names to the proxy', () => {
    const asked = (host: string): string | undefined =>
      hex(new SocksHandshake({ host, port: 9876 }, undefined).push(Buffer.of(5, 0)));
    expect(asked('10.0.0.1')).to.equal('05010001' + '0a000001' + '2694');
    expect(asked('2001:db8::1')).to.equal(`0501000420010db8${'0'.repeat(23)}12694`);
    expect(asked('::ffff:10.0.0.1')).to.equal(`05010004${'0'.repeat(20)}ffff0a0000012694`);
    expect(asked('mq.example')).to.equal(`050100030a${Buffer.from('mq.example').toString('hex')}2694`);
    expect(() => asked('x'.repeat(256))).to.throw("the target's name has more than 255 bytes");
  });

  it('sends username and password when the proxy chooses so, in bytes of UTF-8', () => {
    const handshake = new SocksHandshake({ host: '1.2.3.4', port: 1 }, { username: 'é', password: 'p' });
    expect(hex(handshake.push(Buffer.of(5, 2)))).to.equal('0102c3a90170');
    expect(hex(handshake.push(Buffer.of(1, 0)))).to.equal('05010001010203040001');
  });

  it('carries names, usernames and passwords of lengths around each limit of a field, in both directions (W48)', () => {
    for (const length of [127, 128, 129, 254, 255]) {
      const text = 'x'.repeat(length);
      const handshake = new SocksHandshake({ host: text, port: 9876 }, { username: text, password: text });
      const field = Buffer.concat([Buffer.of(length), Buffer.from(text)]);
      expect(handshake.push(Buffer.of(5, 2))).to.deep.equal(Buffer.concat([Buffer.of(1), field, field]));
      expect(handshake.push(Buffer.of(1, 0))).to.deep.equal(
        Buffer.concat([Buffer.of(5, 1, 0, 3), field, Buffer.of(0x26, 0x94)]),
      );
      handshake.push(Buffer.concat([reply('03'), field, Buffer.of(0, 0), Buffer.from('hello')]));
      expect([handshake.isDone, handshake.rest.toString()]).to.deep.equal([true, 'hello']);
    }
  });

  it('is done with an answer of any address type, and keeps what comes behind it', () => {
    for (const bound of ['0100000000' + '0000', `04${'0'.repeat(32)}0000`, '0302' + '6162' + '0000', '03000000']) {
      const handshake = new SocksHandshake({ host: 'mq', port: 1 }, undefined);
      handshake.push(Buffer.of(5, 0));
      handshake.push(Buffer.concat([reply(bound), Buffer.from('hello')]));
      expect([handshake.isDone, handshake.rest.toString()], bound).to.deep.equal([true, 'hello']);
    }
  });

  it('gives the same however the answers are cut', () => {
    const answers = Buffer.concat([reply('0302' + '6162' + '0000'), Buffer.from('hello')]);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: answers.length })), (cuts) => {
        const handshake = new SocksHandshake({ host: 'mq', port: 1 }, login);
        expect(handshake.push(Buffer.of(5))).to.equal(undefined);
        handshake.push(Buffer.of(2));
        expect(handshake.push(Buffer.of(1))).to.equal(undefined);
        handshake.push(Buffer.of(0));
        const at = [0, ...cuts.sort((a, b) => a - b), answers.length];
        for (const [index, from] of at.entries()) handshake.push(answers.subarray(from, at[index + 1] ?? from));
        expect([handshake.isDone, handshake.rest.toString()]).to.deep.equal([true, 'hello']);
      }),
    );
  });

  it('names each refusal', () => {
    const refusal = (code: number): string => {
      const handshake = new SocksHandshake({ host: 'mq', port: 1 }, undefined);
      handshake.push(Buffer.of(5, 0));
      try {
        handshake.push(Buffer.of(5, code));
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map(refusal)).to.deep.equal([
      'it answered 1, general SOCKS server failure',
      'it answered 2, connection not allowed by ruleset',
      'it answered 3, network unreachable',
      'it answered 4, host unreachable',
      'it answered 5, connection refused',
      'it answered 6, TTL expired',
      'it answered 7, command not supported',
      'it answered 8, address type not supported',
      'it answered 9, which no SOCKS5 proxy should',
    ]);
  });

  it('ends with an Error that holds neither username nor password, whatever the proxy sends', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 5 }), (chunks) => {
        const handshake = new SocksHandshake({ host: 'mq', port: 1 }, login);
        try {
          for (const chunk of chunks) handshake.push(Buffer.from(chunk));
        } catch (error) {
          expect((error as Error).message).to.not.match(/ada|lovelace/);
        }
      }),
    );
  });
});
