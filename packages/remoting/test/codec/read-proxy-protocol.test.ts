import { expect } from 'chai';
import fc from 'fast-check';
import { readProxyProtocolHeader } from '../../src/codec/read-proxy-protocol.js';
import { DecodeError } from '../../src/errors.js';
import { proxyV2, tlv } from './proxy-header-fixture.js';

const read = (bytes: Buffer | string): ReturnType<typeof readProxyProtocolHeader> =>
  readProxyProtocolHeader(Buffer.from(bytes as string));

/** What every beginning of a text or of bytes gives. */
function prefixes(bytes: Buffer): ReturnType<typeof readProxyProtocolHeader>[] {
  return Array.from(bytes, (_, length) => read(bytes.subarray(0, length)));
}

describe('readProxyProtocolHeader', () => {
  const v1 = 'PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n';

  it('reads version 1 over IPv4 and IPv6, and takes no byte behind it', () => {
    expect(read(`${v1}PROXY`)).to.deep.equal({
      version: 1,
      headerBytes: v1.length,
      source: { address: '192.168.0.1', port: 56324 },
      destination: { address: '192.168.0.11', port: 443 },
      tlvs: [],
    });
    expect(read('PROXY TCP6 2001:db8::1 ::1 1 65535\r\n')).to.deep.include({
      source: { address: '2001:db8::1', port: 1 },
      destination: { address: '::1', port: 65535 },
    });
  });

  it('reads UNKNOWN, with or without more on its line', () => {
    for (const text of ['PROXY UNKNOWN\r\n', `PROXY UNKNOWN ${'f'.repeat(91)}\r\n`]) {
      expect(read(text)).to.deep.include({ headerBytes: text.length, source: undefined, destination: undefined });
    }
  });

  it('refuses what is no line of version 1', () => {
    const bad = [
      'PROXY TCP5 1.1.1.1 1.1.1.1 1 1\r\n',
      'PROXY  TCP4 1.1.1.1 1.1.1.1 1 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 1 1 1\r\n',
      'PROXY TCP4 1.1.1.256 1.1.1.1 1 1\r\n',
      'PROXY TCP4 ::1 1.1.1.1 1 1\r\n',
      'PROXY TCP6 1.1.1.1 ::1 1 1\r\n',
      'PROXY TCP6 fe80::1%eth0 ::1 1 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 65536 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 01 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 -1 1\r\n',
      'PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r ',
      `PROXY UNKNOWN ${'f'.repeat(93)}`,
      `PROXY UNKNOWN ${'f'.repeat(92)}\r\n`,
    ];
    for (const text of bad) expect(() => read(text), text).to.throw(DecodeError);
  });

  it('reads version 2 over IPv4, IPv6 and Unix sockets', () => {
    expect(read(proxyV2())).to.deep.equal({
      version: 2,
      headerBytes: 28,
      source: { address: '10.1.2.3', port: 4000 },
      destination: { address: '10.4.5.6', port: 9876 },
      tlvs: [],
    });
    const v6 = Buffer.from(`20010db8${'0'.repeat(23)}1${'0'.repeat(20)}ffff7f0000010fa02694`, 'hex');
    expect(read(proxyV2({ family: 0x21, addresses: v6 }))).to.deep.include({
      source: { address: '2001:db8::1', port: 4000 },
      destination: { address: '::ffff:127.0.0.1', port: 9876 },
    });
    const paths = Buffer.alloc(216);
    paths.write('/run/a.sock');
    paths.fill('b', 108);
    expect(read(proxyV2({ family: 0x31, addresses: paths }))).to.deep.include({
      source: { address: '/run/a.sock', port: 0 },
      destination: { address: 'b'.repeat(108), port: 0 },
    });
  });

  it('skips all of a header in which the proxy speaks for itself, or names no family', () => {
    for (const init of [{ command: 0x20 }, { command: 0x20, family: 0 }, { family: 0 }, { family: 0x10 }]) {
      const bytes = proxyV2({ ...init, tlvs: [Buffer.of(1)] });
      expect(read(bytes)).to.deep.include({ headerBytes: bytes.length, source: undefined, tlvs: [] });
    }
    expect(read(proxyV2({ command: 0x20, family: 0x11, addresses: Buffer.of() }))).to.deep.include({ headerBytes: 16 });
  });

  it('gives the pieces in order, those of an SSL piece behind it', () => {
    const ssl = Buffer.concat([Buffer.of(1, 0, 0, 0, 0), tlv(0x21, 'TLSv1.3')]);
    const header = read(proxyV2({ tlvs: [tlv(2, 'mq.example'), tlv(0x20, ssl), tlv(0xea, 'vpce')] }));
    const pieces = typeof header === 'object' ? header.tlvs.map(({ type, value }) => [type, value.toString()]) : [];
    expect(pieces).to.deep.equal([
      [2, 'mq.example'],
      [0x20, ssl.toString()],
      [0x21, 'TLSv1.3'],
      [0xea, 'vpce'],
    ]);
  });

  it('reads version 2 headers and pieces of lengths around each limit of a field (W48)', () => {
    for (const limit of [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16 - 1]) {
      for (const length of [limit - 1, limit, Math.min(limit + 1, 2 ** 16 - 1)]) {
        const value = Buffer.alloc(length - 12 - 3, 'v');
        const bytes = proxyV2({ tlvs: [tlv(0xe0, value)] });
        expect(bytes.readUInt16BE(14)).to.equal(length);
        expect(read(bytes.subarray(0, -1))).to.equal('incomplete');
        expect(read(bytes)).to.deep.include({ headerBytes: 16 + length, tlvs: [{ type: 0xe0, value }] });
        // A piece of that length itself, in the longest header.
        const most = Math.min(length, 2 ** 16 - 1 - 12 - 3);
        expect(read(proxyV2({ tlvs: [tlv(0xe0, Buffer.alloc(most, 'm'))] }))).to.deep.include({
          tlvs: [{ type: 0xe0, value: Buffer.alloc(most, 'm') }],
        });
      }
    }
  });

  it('refuses what is no version 2 header', () => {
    const bad = {
      'version 1': proxyV2({ command: 0x11 }),
      'command 2': proxyV2({ command: 0x22 }),
      'family 4': proxyV2({ family: 0x41 }),
      'transport 3': proxyV2({ family: 0x13 }),
      'too short for its addresses': proxyV2({ length: 11 }),
      'a piece that is cut': proxyV2({ tlvs: [Buffer.of(1, 0)] }),
      'a piece that is too long': proxyV2({ tlvs: [Buffer.of(1, 0, 1)] }),
      'an SSL piece that is cut': proxyV2({ tlvs: [tlv(0x20, Buffer.of(1, 0, 0, 0))] }),
      'a piece of an SSL piece that is too long': proxyV2({ tlvs: [tlv(0x20, Buffer.of(1, 0, 0, 0, 0, 1, 0, 1))] }),
    };
    for (const [what, bytes] of Object.entries(bad)) expect(() => read(bytes), what).to.throw(DecodeError);
  });

  it('waits for the rest at every byte offset', () => {
    for (const bytes of [Buffer.from(v1), proxyV2({ tlvs: [tlv(2, 'mq')] })])
      expect(new Set(prefixes(bytes))).to.deep.equal(new Set(['incomplete']));
  });

  it('decides by the first byte that no header has there', () => {
    expect(['\0', 'G', 'POST', 'PROXYTCP4', '\r\n\r\n\0\r\nX', '\x16\x03\x01'].map(read)).to.deep.equal(
      Array.from({ length: 6 }, () => 'absent'),
    );
    // The fields of version 2 too, before the length is there.
    expect(() => read(proxyV2({ command: 0x31 }).subarray(0, 13))).to.throw(DecodeError);
    expect(() => read(proxyV2({ family: 0x91 }).subarray(0, 14))).to.throw(DecodeError);
    expect(() => read(proxyV2({ length: 3 }).subarray(0, 16))).to.throw(DecodeError);
  });

  it('gives back what any version 1 or 2 header was made of', () => {
    const port = fc.integer({ min: 0, max: 65_535 });
    // Proxies write no longer ones, and the line of version 1 has no room for two.
    const shortIpV6 = fc.ipV6().filter((address) => address.length <= 39);
    fc.assert(
      fc.property(fc.ipV4(), shortIpV6, port, port, (v4, v6, a, b) => {
        expect(read(`PROXY TCP4 ${v4} ${v4} ${a} ${b}\r\n`)).to.deep.include({ source: { address: v4, port: a } });
        expect(read(`PROXY TCP6 ${v6} ${v6} ${a} ${b}\r\n`)).to.deep.include({ destination: { address: v6, port: b } });
        const addresses = Buffer.from([...v4.split('.').map(Number), 1, 2, 3, 4, a >> 8, a & 255, b >> 8, b & 255]);
        expect(read(proxyV2({ addresses }))).to.deep.include({ source: { address: v4, port: a } });
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (values) => {
        const header = read(proxyV2({ tlvs: values.map((value) => tlv(0xe0, Buffer.from(value))) }));
        const got = typeof header === 'object' ? header.tlvs.map(({ value }) => Uint8Array.from(value)) : undefined;
        expect(got).to.deep.equal(values);
      }),
    );
  });

  it('throws nothing but DecodeError, whatever the bytes', () => {
    const start = fc.constantFrom(Buffer.from('PROXY '), proxyV2().subarray(0, 12), proxyV2(), Buffer.of());
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 120 }), fc.string(), (head, tail, text) => {
        for (const bytes of [Buffer.concat([head, tail]), Buffer.concat([head, Buffer.from(text)])]) {
          try {
            const header = read(bytes);
            if (typeof header === 'object') expect(header.headerBytes).to.be.at.most(bytes.length);
          } catch (error) {
            expect(error).to.be.instanceOf(DecodeError);
          }
        }
      }),
    );
  });
});
