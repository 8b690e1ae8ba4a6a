import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import type { RemotingError } from '../../src/errors.js';
import { isTlsHandshakeEvent, TlsHandler, type TlsHandshakeEvent } from '../../src/handler/tls-handler.js';
import { ManualClock } from '../../src/manual-clock.js';
import type { TlsContext } from '../../src/tls/tls-context.js';
import { TlsError } from '../../src/tls/tls-error.js';
import { carry, clientContext, issued, serverContext, strangeCa, turn } from '../tls/tls-fixture.js';

const serverTls = serverContext();
const clientTls = clientContext(undefined, { verifyHostname: true });

/** One side: its channel, its clock, and what the handler after TLS heard. */
class Side {
  readonly clock = new ManualClock();
  readonly heard: string[] = [];
  readonly handshakes: (RemotingError | undefined)[] = [];
  readonly channel: EmbeddedChannel;
  handshake: TlsHandshakeEvent | undefined;
  error: RemotingError | undefined;
  received = Buffer.alloc(0);

  constructor(context: TlsContext, servername?: string) {
    const { clock } = this;
    const onHandshake = (error: RemotingError | undefined): void => {
      this.handshakes.push(error);
    };
    this.channel = new EmbeddedChannel({
      tls: new TlsHandler(context, { clock, servername, onHandshake }),
      probe: {
        channelActive: () => this.heard.push('active'),
        channelInactive: () => this.heard.push('inactive'),
        channelRead: (_ctx, message) => {
          this.received = Buffer.concat([this.received, message as Buffer]);
        },
        userEventTriggered: (_ctx, event) => {
          if (!isTlsHandshakeEvent(event)) return;
          this.heard.push('handshake');
          this.handshake = event;
        },
        exceptionCaught: (_ctx, error) => {
          this.heard.push('exception');
          this.error = error;
        },
      },
    });
  }

  write(text: string, results: unknown[] = []): void {
    this.channel.writeAndFlush(Buffer.from(text), (error) => results.push(error?.code));
  }
}

function pair(client: TlsContext = clientTls, server: TlsContext = serverTls): { client: Side; server: Side } {
  return { client: new Side(client, 'localhost'), server: new Side(server) };
}

async function secured(): Promise<{ client: Side; server: Side }> {
  const both = pair();
  await carry(both.client.channel, both.server.channel);
  return both;
}

describe('TlsHandler', () => {
  it('tells what was agreed on, and a client of its connection only then', async () => {
    const { client, server } = pair();
    expect([client.heard, server.heard]).to.deep.equal([[], ['active']]);
    await carry(client.channel, server.channel);
    expect(client.heard).to.deep.equal(['active', 'handshake']);
    expect(server.heard).to.deep.equal(['active', 'handshake']);
    expect([client.handshakes, server.clock.pendingTimers]).to.deep.equal([[undefined], 0]);
    expect(client.handshake).to.deep.equal({
      type: 'tlsHandshake',
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      peerSubject: 'CN=server',
      peerAuthorized: true,
    });
  });

  it('keeps what is written before the handshake is done, in order, and counts it', async () => {
    const { client, server } = pair();
    const results: unknown[] = [];
    for (const text of ['one ', 'two ', 'three']) client.write(text, results);
    // What has left is the hello.
    expect(client.channel.pendingBytes).to.equal(13);
    await carry(client.channel, server.channel);
    expect(server.received.toString()).to.equal('one two three');
    expect([results, client.channel.pendingBytes]).to.deep.equal([[undefined, undefined, undefined], 0]);
  });

  it('calls listeners when the encrypted bytes are taken, not before', async () => {
    const { client, server } = await secured();
    client.channel.holdOutbound();
    const results: unknown[] = [];
    client.write('hello', results);
    for (let i = 0; i < 5; i++) await turn();
    expect(results).to.deep.equal([]);
    client.channel.flushOutbound();
    expect(results).to.deep.equal([undefined]);
    await carry(client.channel, server.channel);
    expect(server.received.toString()).to.equal('hello');
  });

  it('counts bytes before and after their encryption, and makes the channel unwritable for a peer that does not read', async () => {
    const { client } = await secured();
    const { channel } = client;
    channel.holdOutbound();
    const bytes = 4 * 1024 * 1024;
    for (let i = 0; i < 64; i++) channel.writeAndFlush(Buffer.alloc(bytes / 64));
    expect([channel.pendingBytes, channel.isWritable]).to.deep.equal([bytes, false]);
    for (let i = 0; i < 100; i++) {
      await turn();
      expect(channel.pendingBytes).to.be.within(bytes, bytes * 1.01);
    }
    expect(channel.pendingBytes).to.be.greaterThan(bytes);
    channel.flushOutbound();
    await turn();
    expect([channel.pendingBytes, channel.isWritable]).to.deep.equal([0, true]);
  });

  it('cuts off a peer that does not finish the handshake in 10 s', async () => {
    const { server, client } = pair();
    await carry(client.channel, server.channel, 1);
    server.clock.advance(9_999);
    expect(server.channel.isActive).to.equal(true);
    server.clock.advance(1);
    expect(server.heard).to.deep.equal(['active', 'handshake', 'exception', 'inactive']);
    expect(server.error).to.be.instanceOf(TlsError);
    expect(server.error?.message).to.equal('TLS with embedded:1 failed: no handshake within 10000 ms');
    expect(server.clock.pendingTimers).to.equal(0);
  });

  it('fails what a client wrote when the server is not trusted, and nothing after TLS hears of the connection', async () => {
    const { client, server } = pair(clientTls, serverContext(issued('server', strangeCa)));
    const results: unknown[] = [];
    client.write('secret', results);
    await carry(client.channel, server.channel);
    expect(client.heard).to.deep.equal(['handshake']);
    expect(client.handshakes[0]?.message).to.match(/not trusted \(UNABLE_TO_/);
    expect(await client.channel.closed).to.equal(client.handshakes[0]);
    expect([results, server.received.length]).to.deep.equal([['CONNECT_FAILED'], 0]);
  });

  it('verifies the host name where it is asked to', async () => {
    const elsewhere = new Side(clientTls, 'elsewhere');
    const server = new Side(serverTls);
    await carry(elsewhere.channel, server.channel);
    expect(elsewhere.handshakes[0]?.message).to.match(/certificate is for another name: .*elsewhere/);
    const careless = new Side(clientContext(), 'elsewhere');
    await carry(careless.channel, new Side(serverTls).channel);
    expect(careless.handshakes).to.deep.equal([undefined]);
  });

  it('answers a hello that is none with an alert, and closes (B15)', async () => {
    const { channel, error, heard } = new Side(serverTls);
    expect(error).to.equal(undefined);
    channel.writeInbound(Buffer.from('16030100050100000100', 'hex'));
    for (let i = 0; i < 5; i++) await turn();
    const alert = channel.readOutbound() as Buffer;
    expect(alert.subarray(0, 1)).to.deep.equal(Buffer.from([0x15]));
    expect(heard).to.deep.equal(['active', 'handshake', 'exception', 'inactive']);
  });

  it('ends a connection whose bytes do not decrypt', async () => {
    const { client, server } = await secured();
    client.write('hello');
    for (let i = 0; i < 3; i++) await turn();
    const record = client.channel.readOutbound() as Buffer;
    record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
    server.channel.writeInbound(record);
    for (let i = 0; i < 5; i++) await turn();
    expect(server.error?.code).to.equal('CONNECTION_CLOSED');
    expect(server.error?.message).to.match(/^TLS with embedded:1 broke: /);
    expect([server.received.length, server.channel.isActive]).to.deep.equal([0, false]);
  });

  it('sends what was flushed and the end of TLS before it closes', async () => {
    const { client, server } = await secured();
    const results: unknown[] = [];
    const bytes = 1024 * 1024;
    client.channel.writeAndFlush(Buffer.alloc(bytes), (error) => results.push(error?.code));
    client.channel.write(Buffer.from('not flushed'), (error) => results.push(error?.code));
    void client.channel.close();
    expect(client.channel.isActive).to.equal(false);
    client.write('too late', results);
    await carry(client.channel, server.channel);
    expect(server.received.length).to.equal(bytes);
    expect(results).to.deep.equal(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', undefined]);
    // The server took the end for what it is, and answered with its own.
    expect(server.heard.slice(-2)).to.deep.equal(['handshake', 'inactive']);
    expect(await server.channel.closed).to.equal(undefined);
  });

  it('leaves nothing behind wherever it is closed, destroyed or removed', async () => {
    for (const end of ['close', 'destroy', 'remove'] as const) {
      for (let messages = 0; messages < 7; messages++) {
        const { client, server } = pair();
        const results: unknown[] = [];
        client.write('hello', results);
        await carry(client.channel, server.channel, messages);
        for (const { channel } of [client, server]) {
          if (end === 'remove') channel.pipeline.remove('tls');
          else void channel[end]();
        }
        await carry(client.channel, server.channel);
        expect(results, `${end} after ${messages}`).to.have.lengthOf(1);
        expect([client.handshakes.length, server.handshakes.length]).to.deep.equal([1, 1]);
        expect([client.clock.pendingTimers, server.clock.pendingTimers]).to.deep.equal([0, 0]);
        if (end !== 'remove') await Promise.all([client.channel.closed, server.channel.closed]);
      }
    }
  });

  it('fails a write that is not of bytes', async () => {
    const { client } = await secured();
    const results: unknown[] = [];
    client.channel.writeAndFlush({ not: 'bytes' }, (error) => results.push(error?.code));
    expect(results).to.deep.equal(['ENCODE_FAILED']);
  });

  it('stops when a handler after it destroys the channel with what it was just given', async () => {
    const { client, server } = await secured();
    server.channel.pipeline.addAfter('tls', 'killer', { channelRead: (ctx) => ctx.channel.destroy() });
    for (let i = 0; i < 3; i++) client.channel.writeAndFlush(Buffer.alloc(40_000));
    await carry(client.channel, server.channel);
    expect([server.received.length, server.channel.isActive]).to.deep.equal([0, false]);
  });

  it('serves more handshakes at once than it keeps acceptors', async () => {
    const sides = Array.from({ length: 40 }, () => pair());
    await Promise.all(sides.map(({ client, server }) => carry(client.channel, server.channel)));
    expect(sides.every(({ client, server }) => client.handshake?.error ?? server.handshake?.protocol)).to.equal(true);
  });

  it('is put in, with compression after it, at any byte of a stream that began plainly', async function () {
    this.timeout(30_000);
    for (let at = 0; ; at++) {
      const { done, text } = await upgrade(at);
      expect(text, `cut at ${at}`).to.equal('hello, compressed, over TLS');
      if (done) break;
    }
  });
});

/** A plain line asks for TLS, and all after it is, compressed; the client's whole stream is cut in two at one place. */
async function upgrade(at: number): Promise<{ done: boolean; text: string }> {
  let text = '';
  const server = new EmbeddedChannel({
    startTls: {
      channelRead: (ctx, message) => {
        const bytes = Buffer.concat([kept, message as Buffer]);
        const end = bytes.indexOf('\n');
        kept = bytes;
        if (end < 0) return;
        ctx.pipeline.replace('startTls', 'tls', new TlsHandler(serverTls, { clock: new ManualClock() }));
        ctx.fireChannelRead(bytes.subarray(end + 1));
      },
    },
    inflate: {
      channelRead: (ctx, message) => {
        packed = Buffer.concat([packed, message as Buffer]);
        const length = packed[0] ?? 0;
        if (packed.length > length) ctx.fireChannelRead(inflateRawSync(packed.subarray(1, 1 + length)));
      },
    },
    text: {
      channelRead: (_ctx, message) => {
        text += String(message);
      },
    },
  });
  let kept = Buffer.alloc(0);
  let packed = Buffer.alloc(0);
  const client = new EmbeddedChannel();
  client.writeAndFlush(Buffer.from('STARTTLS\n'));
  client.pipeline.addFirst('tls', new TlsHandler(clientTls, { servername: 'localhost', clock: new ManualClock() }));
  client.pipeline.addLast('deflate', {
    write: (ctx, message, listener) => {
      const deflated = deflateRawSync(message as Buffer);
      ctx.write([Buffer.from([deflated.length]), deflated], listener);
    },
  });
  client.writeAndFlush(Buffer.from('hello, compressed, over TLS'));
  let passed = 0;
  for (let quiet = 0; quiet < 4; quiet++) {
    for (let sent = client.readOutbound(); sent !== undefined; sent = client.readOutbound()) {
      quiet = 0;
      const bytes = sent as Buffer;
      const cut = Math.max(0, Math.min(bytes.length, at - passed));
      passed += bytes.length;
      server.writeInbound(bytes.subarray(0, cut));
      if (cut > 0) await turn();
      server.writeInbound(bytes.subarray(cut));
    }
    for (let sent = server.readOutbound(); sent !== undefined; sent = server.readOutbound()) {
      quiet = 0;
      client.writeInbound(sent);
    }
    if (text !== '') break;
    await turn();
  }
  client.destroy();
  server.destroy();
  return { done: at >= passed, text };
}
