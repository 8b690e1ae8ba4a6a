import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { ProxyProtocolDecoder } from '../../src/handler/proxy-protocol-decoder.js';
import { ManualClock } from '../../src/testing.js';
import { proxyV2, tlv } from '../codec/proxy-header-fixture.js';

/** A connection to a proxy, and all that those behind the decoder hear. */
class Proxied {
  readonly clock = new ManualClock();
  readonly events: string[] = [];
  readonly channel: EmbeddedChannel;

  constructor() {
    const { events } = this;
    const last: ChannelHandler = {
      channelActive: ({ channel }) => events.push(`active ${channel.remoteAddress}`),
      channelInactive: () => events.push('inactive'),
      channelRead: (_ctx, message) => events.push(String(message)),
      channelReadComplete: () => events.push('complete'),
      exceptionCaught: (_ctx, error) => events.push(`${error.code} ${error.message}`),
    };
    const decoder = new ProxyProtocolDecoder({ clock: this.clock, headerTimeoutMillis: 1000 });
    this.channel = new EmbeddedChannel({ proxyProtocol: decoder, last }, { remoteAddress: '127.0.0.1:1' });
  }

  get isOver(): boolean {
    return this.channel.pipeline.names().length === 0 && this.clock.pendingTimers === 0;
  }
}

const attributes = (channel: Channel): object => Object.fromEntries(channel.attributes);

describe('ProxyProtocolDecoder', () => {
  const v1 = Buffer.from('PROXY TCP4 10.1.2.3 10.4.5.6 4000 9876\r\n');

  for (const [version, header] of Object.entries({ 1: v1, 2: proxyV2() })) {
    it(`takes a version ${version} header off, cut at any byte, and gives the connection its client's address`, () => {
      for (let cut = 0; cut <= header.length; cut++) {
        const { channel, events, clock } = new Proxied();
        if (cut > 0) channel.writeInbound(header.subarray(0, cut));
        channel.writeInbound(Buffer.concat([header.subarray(cut), Buffer.from('frame')]));
        const chunks = cut === header.length ? ['complete', 'frame', 'complete'] : ['frame', 'complete'];
        expect(events, `cut at ${cut}`).to.deep.equal(['active 10.1.2.3:4000', ...chunks]);
        expect([channel.pipeline.names(), clock.pendingTimers]).to.deep.equal([['last'], 0]);
        expect(attributes(channel)).to.deep.equal({
          proxy_protocol_addr: '10.1.2.3',
          proxy_protocol_port: '4000',
          proxy_protocol_server_addr: '10.4.5.6',
          proxy_protocol_server_port: '9876',
        });
      }
    });
  }

  it('keeps printable pieces as attributes by their type', () => {
    const { channel } = new Proxied();
    channel.writeInbound(proxyV2({ tlvs: [tlv(0x02, 'mq.example'), tlv(0xea, 'vpce-1'), tlv(0xeb, Buffer.of(1, 2))] }));
    expect(attributes(channel)).to.include({
      proxy_protocol_tlv_0x02: 'mq.example',
      proxy_protocol_tlv_0xea: 'vpce-1',
    });
    expect(channel.attributes.has('proxy_protocol_tlv_0xeb')).to.equal(false);
  });

  it("leaves the proxy's address where it speaks for itself, or for a Unix socket", () => {
    for (const header of [proxyV2({ command: 0x20 }), Buffer.from('PROXY UNKNOWN\r\n')]) {
      const { channel, events } = new Proxied();
      channel.writeInbound(header);
      expect([events[0], attributes(channel)]).to.deep.equal(['active 127.0.0.1:1', {}]);
    }
    const { channel } = new Proxied();
    const paths = Buffer.alloc(216);
    paths.write('/run/a.sock');
    channel.writeInbound(proxyV2({ family: 0x31, addresses: paths }));
    expect([channel.remoteAddress, attributes(channel)]).to.deep.equal([
      '127.0.0.1:1',
      { proxy_protocol_addr: '/run/a.sock' },
    ]);
  });

  it('serves a peer that sends no header as it is, from its first byte on', () => {
    const { channel, events } = new Proxied();
    channel.writeInbound(Buffer.of(0x30));
    channel.writeInbound(Buffer.from('PROXY '));
    expect(events).to.deep.equal(['active 127.0.0.1:1', '0', 'complete', 'PROXY ', 'complete']);
  });

  it('closes with one error for a header that breaks the rules', () => {
    const proxied = new Proxied();
    proxied.channel.writeInbound(Buffer.from('PROXY TCP9 '));
    proxied.channel.writeInbound(Buffer.from('\r\n'));
    const why = 'a PROXY protocol header is bad: its family is none of TCP4, TCP6, UNKNOWN';
    expect(proxied.events).to.deep.equal([
      'active 127.0.0.1:1',
      `DECODE_FAILED bad bytes from 127.0.0.1:1: ${why}`,
      'inactive',
    ]);
    expect(proxied.isOver).to.equal(true);
  });

  it('closes when a header is not whole in time', () => {
    const proxied = new Proxied();
    proxied.channel.writeInbound(v1.subarray(0, 9));
    proxied.clock.advance(999);
    expect(proxied.events).to.deep.equal([]);
    proxied.clock.advance(1);
    expect(proxied.events[1]).to.equal(
      'DECODE_FAILED 127.0.0.1:1 sent 9 bytes of a PROXY protocol header and not its end within 1000 ms',
    );
    expect(proxied.isOver).to.equal(true);
  });

  it('lets a silent peer become active when the time is up, and takes a header that comes later', () => {
    const { channel, events, clock } = new Proxied();
    clock.advance(1000);
    expect([events, clock.pendingTimers]).to.deep.equal([['active 127.0.0.1:1'], 0]);
    channel.writeInbound(Buffer.concat([v1, Buffer.from('frame')]));
    expect([events.slice(1), channel.remoteAddress]).to.deep.equal([['frame', 'complete'], '10.1.2.3:4000']);
  });

  it('says nothing of a connection that ends before it said anything', () => {
    const proxied = new Proxied();
    proxied.channel.destroy();
    expect([proxied.events, proxied.isOver]).to.deep.equal([[], true]);
  });

  it('passes on what it has when it is taken out', () => {
    const { channel, events, clock } = new Proxied();
    channel.writeInbound(v1.subarray(0, 4));
    channel.pipeline.remove('proxyProtocol');
    expect([events, clock.pendingTimers]).to.deep.equal([['active 127.0.0.1:1', 'PROX'], 0]);
  });
});
