import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { expect } from 'chai';
import { SocketChannel } from '../../src/channel/socket-channel.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { ReadBackpressure } from '../../src/handler/read-backpressure.js';
import { ManualClock } from '../../src/manual-clock.js';
import { destroyOpen, open, pair, readUntil, stalled } from './socket-pair.js';

describe('SocketChannel', () => {
  afterEach(destroyOpen);

  it('reads, writes and names both its ends', async () => {
    const { channel, peer } = await pair({
      echo: { channelRead: (ctx, message) => ctx.writeAndFlush(message) },
    });
    expect(channel.isActive).to.equal(true);
    expect(channel.remoteAddress).to.equal(`127.0.0.1:${peer.localPort}`);
    expect(channel.localAddress).to.equal(`127.0.0.1:${peer.remotePort}`);
    peer.write('hello');
    expect((await readUntil(peer, 5)).toString()).to.equal('hello');
    await new Promise<void>((resolve) => channel.writeAndFlush(Buffer.alloc(0), () => resolve()));
    expect([channel.pendingBytes, channel.bytesWritten]).to.deep.equal([0, 5]);
  });

  it('fails a write of something that is no bytes, and nothing else', async () => {
    const { channel } = await pair();
    const results: unknown[] = [];
    channel.write('text', (error) => results.push(error?.code));
    channel.write([Buffer.from('a'), 'b'], (error) => results.push(error?.code));
    expect(results).to.deep.equal(['ENCODE_FAILED', 'ENCODE_FAILED']);
    expect([channel.isActive, channel.pendingBytes]).to.deep.equal([true, 0]);
  });

  it('sends what was flushed before a close, fails what was not, and ends when the peer does', async () => {
    const { channel, peer } = await pair();
    const results: string[] = [];
    channel.write(Buffer.from('sent'), (error) => results.push(`sent ${error?.code}`));
    channel.flush();
    channel.write(Buffer.from('lost'), (error) => results.push(`lost ${error?.code}`));
    const closed = channel.close();
    void channel.close();
    expect(channel.isActive).to.equal(false);
    channel.write(Buffer.from('late'), (error) => results.push(`late ${error?.code}`));
    const text = readUntil(peer, 4);
    await once(peer, 'end');
    expect((await text).toString()).to.equal('sent');
    peer.end();
    await closed;
    expect(await channel.closed).to.equal(undefined);
    expect(results).to.deep.equal(['lost CONNECTION_CLOSED', 'late CONNECTION_CLOSED', 'sent undefined']);
  });

  it('fails waiting writes and fires channelInactive within destroy, once', async () => {
    const log: string[] = [];
    const { channel } = await pair({ a: { channelInactive: () => log.push('inactive') } });
    channel.writeAndFlush(Buffer.from('x'), (error) => log.push(`${error?.code}`));
    const error = { code: 'CLOSED' } as RemotingError;
    channel.destroy(error);
    expect(log).to.deep.equal(['CLOSED', 'inactive']);
    channel.destroy();
    await channel.close();
    expect(await channel.closed).to.equal(error);
    expect(log).to.deep.equal(['CLOSED', 'inactive']);
  });

  it('tells the handlers of a reset, then ends', async () => {
    const log: string[] = [];
    const { channel, peer } = await pair({
      a: {
        exceptionCaught: (_ctx, error) => log.push(`${error.code} ${error.address}`),
        channelInactive: () => log.push('inactive'),
      },
    });
    const address = `127.0.0.1:${peer.localPort}`;
    peer.resetAndDestroy();
    expect((await channel.closed)?.code).to.equal('CONNECTION_CLOSED');
    expect(log).to.deep.equal([`CONNECTION_CLOSED ${address}`, 'inactive']);
  });

  it('ends in good order when the peer closes its side', async () => {
    const log: string[] = [];
    const { channel, peer } = await pair({ a: { channelInactive: () => log.push('inactive') } });
    peer.end();
    peer.resume();
    expect(await channel.closed).to.equal(undefined);
    expect(log).to.deep.equal(['inactive']);
  });

  it('does not let a peer hold a close open', async () => {
    const clock = new ManualClock();
    const { channel, peer } = await pair({}, { clock });
    channel.writeAndFlush(Buffer.from('bye'));
    void channel.close();
    // The peer, half open, never closes its side.
    const text = readUntil(peer, 3);
    await once(peer, 'end');
    expect((await text).toString()).to.equal('bye');
    clock.advance(999);
    let ended = false;
    void channel.closed.then(() => {
      ended = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).to.equal(false);
    clock.advance(1);
    expect(await channel.closed).to.equal(undefined);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives up a close whose peer takes no bytes, with an error', async () => {
    const clock = new ManualClock();
    const { channel, peer } = await pair({}, { clock });
    peer.pause();
    const results: unknown[] = [];
    channel.writeAndFlush(Buffer.alloc(64 * 1024 * 1024), (error) => results.push(error?.code));
    void channel.close();
    await stalled(channel);
    clock.advance(1000);
    expect((await channel.closed)?.code).to.equal('CONNECTION_CLOSED');
    expect(results).to.deep.equal(['CONNECTION_CLOSED']);
    expect([channel.pendingBytes, clock.pendingTimers]).to.deep.equal([0, 0]);
  });

  it('gives up a close after 5 s although the peer takes some bytes all the time', async () => {
    const clock = new ManualClock();
    let taken = (): void => {};
    const slow = new Duplex({ read() {}, write: (_chunk, _encoding, callback) => (taken = callback) });
    const channel = new SocketChannel(slow, { clock, remoteAddress: 'slow' });
    open.push(channel);
    channel.start();
    const bytes = 8 * 1024 * 1024;
    channel.writeAndFlush(Buffer.alloc(bytes));
    void channel.close();
    for (let passed = 0; passed < 4500; passed += 900) {
      await new Promise((resolve) => setImmediate(resolve));
      taken();
      clock.advance(900);
    }
    await new Promise((resolve) => setImmediate(resolve));
    taken();
    clock.advance(499);
    await new Promise((resolve) => setImmediate(resolve));
    taken();
    const left = channel.pendingBytes;
    expect(left)
      .to.equal(bytes - channel.bytesWritten)
      .and.above(7 * 1024 * 1024);
    clock.advance(1);
    expect((await channel.closed)?.message).to.equal(
      `the connection with slow was closed; the peer left ${left} bytes after 5000 ms`,
    );
    expect(clock.pendingTimers).to.equal(0);
  });

  it('stops reading from a peer that does not read, so that what waits stays bounded, and goes on when it does (W43)', async () => {
    const answer = Buffer.alloc(16 * 1024);
    let requests = 0;
    let bytes = 0;
    let mostBytes = 0;
    const edges: boolean[] = [];
    const { channel, peer } = await pair({
      backpressure: new ReadBackpressure({ clock: new ManualClock() }),
      answer: {
        channelRead(ctx, message) {
          // One answer, 16 times as large, for each KiB that comes.
          for (bytes += (message as Buffer).length; bytes >= 1024; bytes -= 1024) {
            requests++;
            ctx.writeAndFlush(answer);
          }
          mostBytes = Math.max(mostBytes, ctx.channel.pendingBytes);
        },
        channelWritabilityChanged: (ctx) => edges.push(ctx.channel.isWritable),
      },
    });
    peer.pause();
    const asked = 4096;
    peer.write(Buffer.alloc(asked * 1024));
    await stalled(channel);
    expect(channel.autoRead).to.equal(false);
    // One chunk of 64 KiB may be answered beyond the mark, and one more be on its way when reading stops.
    expect(mostBytes).to.be.at.most(64 * 1024 + 2 * 64 * answer.length + answer.length);
    expect(requests).to.be.below(asked);

    let received = 0;
    await new Promise<void>((resolve) => {
      peer.on('data', (chunk) => {
        received += chunk.length;
        if (received === asked * answer.length) resolve();
      });
      peer.resume();
    });
    expect(requests).to.equal(asked);
    edges.forEach((writable, index) => {
      expect(writable).to.equal(index % 2 === 1);
    });
  });

  it('delivers nothing that arrives after a close inside a handler', async () => {
    const log: string[] = [];
    const { channel, peer } = await pair({
      a: {
        channelRead(ctx, message) {
          log.push(String(message));
          ctx.writeAndFlush(Buffer.from('last'));
          ctx.close();
          peer.write('two');
        },
        channelReadComplete: () => log.push('complete'),
        channelInactive: () => log.push('inactive'),
      },
    });
    peer.write('one');
    const text = readUntil(peer, 4);
    await once(peer, 'end');
    peer.end();
    expect((await text).toString()).to.equal('last');
    await channel.closed;
    expect(log).to.deep.equal(['one', 'complete', 'inactive']);
  });

  it('answers requests kept back before it ends with the peer', async () => {
    const { channel, peer, socket } = await pair({
      keeper: {
        channelRead(ctx, message) {
          ctx.channel.holdReads();
          socket.once('end', () =>
            setImmediate(() => {
              ctx.fireChannelRead(message);
              ctx.channel.releaseReads();
            }),
          );
        },
      },
      echo: { channelRead: (ctx, message) => ctx.writeAndFlush(message) },
    });
    peer.end('request');
    expect((await readUntil(peer, 7)).toString()).to.equal('request');
    expect(await channel.closed).to.equal(undefined);
  });

  it('bounds what one burst of small requests with large answers makes it hold', async () => {
    const request = Buffer.concat(encodeFrame(RemotingCommand.request(1, { opaque: 1 })));
    const answer = Buffer.alloc(409_000);
    let mostBytes = 0;
    let requests = 0;
    const { channel, peer } = await pair({
      decoder: new FrameDecoder(),
      backpressure: new ReadBackpressure({ clock: new ManualClock() }),
      answer: {
        channelRead(ctx) {
          requests++;
          ctx.writeAndFlush(answer);
          mostBytes = Math.max(mostBytes, ctx.channel.pendingBytes);
        },
      },
    });
    peer.pause();
    const asked = 600;
    peer.end(Buffer.concat(new Array<Buffer>(asked).fill(request)));
    await stalled(channel);
    expect(mostBytes).to.be.below(64 * 1024 + answer.length + 1);
    expect(requests).to.be.below(asked);

    let received = 0;
    peer.on('data', (chunk) => (received += chunk.length));
    peer.resume();
    await once(peer, 'end');
    expect(await channel.closed).to.equal(undefined);
    expect([requests, received]).to.deep.equal([asked, asked * answer.length]);
  });

  it('reads nothing while autoRead is off', async () => {
    const log: string[] = [];
    const { channel, peer } = await pair({ a: { channelRead: (_ctx, message) => log.push(String(message)) } });
    channel.autoRead = false;
    await new Promise<void>((resolve) => peer.write('x', () => resolve()));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(log).to.deep.equal([]);
    const read = new Promise<void>((resolve) => {
      channel.pipeline.addFirst('first', { channelRead: (ctx, message) => resolve(ctx.fireChannelRead(message)) });
    });
    channel.autoRead = true;
    await read;
    expect(log).to.deep.equal(['x']);
  });

  it('ends with CONNECT_FAILED, and no event, when the socket does not connect', async () => {
    const port = await unusedPort();
    const log: string[] = [];
    const channel = new SocketChannel(net.connect(port, '127.0.0.1'), { remoteAddress: `127.0.0.1:${port}` });
    channel.pipeline.addLast('a', {
      channelActive: () => log.push('active'),
      channelInactive: () => log.push('inactive'),
      exceptionCaught: () => log.push('exception'),
      handlerRemoved: () => log.push('removed'),
    });
    channel.start();
    channel.writeAndFlush(Buffer.from('x'), (error) => log.push(`${error?.code}`));
    const error = await channel.closed;
    expect(error).to.include({ code: 'CONNECT_FAILED', address: `127.0.0.1:${port}` });
    expect(error?.cause).to.include({ code: 'ECONNREFUSED' });
    expect(log).to.deep.equal(['CONNECT_FAILED', 'removed']);
  });

  it('becomes active when the socket has connected, and sends then what was written before', async () => {
    const server = net.createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const channel = new SocketChannel(net.connect(port, '127.0.0.1'));
    open.push(channel);
    const log: string[] = [];
    const echoed = new Promise<void>((resolve) => {
      channel.pipeline.addLast('a', {
        channelActive: (ctx) => log.push(`active ${ctx.channel.remoteAddress}`),
        channelRead(_ctx, message) {
          log.push(String(message));
          resolve();
        },
      });
    });
    channel.start();
    channel.writeAndFlush(Buffer.from('early'));
    await echoed;
    expect(log).to.deep.equal([`active 127.0.0.1:${port}`, 'early']);
    server.close();
  });

  it('bears two errors of one socket (W40)', async () => {
    const { channel, socket } = await pair({ a: { exceptionCaught() {} } });
    socket.emit('error', new Error('first'));
    socket.emit('error', new Error('second'));
    expect((await channel.closed)?.message).to.match(/broke: first$/);
  });

  it('serves a Unix socket, whose ends have no address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rmqns-'));
    const server = net.createServer((socket) => open.push(echo(socket)));
    server.listen(join(folder, 'socket'));
    await once(server, 'listening');
    const client = new SocketChannel(net.connect(join(folder, 'socket')), { remoteAddress: 'echo' });
    open.push(client);
    expect(await roundTrip(client, 100_000)).to.equal(100_000);
    expect([client.remoteAddress, client.localAddress]).to.deep.equal(['echo', '']);
    await client.close();
    server.close();
    await once(server, 'close');
    await rm(folder, { recursive: true });
  });

  it('serves a TLSSocket, and is active once it is secure', async () => {
    const key = Buffer.alloc(16, 7);
    const secure = { ciphers: 'PSK', maxVersion: 'TLSv1.2' as const };
    const server = tls.createServer({ ...secure, pskCallback: () => key, pskIdentityHint: 'test' }, (socket) =>
      open.push(echo(socket)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const psk = {
      ...secure,
      pskCallback: () => ({ psk: key, identity: 'test' }),
      checkServerIdentity: () => undefined,
    };
    const connected = net.connect(port, '127.0.0.1');
    await once(connected, 'connect');
    for (const end of [{ host: '127.0.0.1', port }, { socket: connected }]) {
      const socket = tls.connect({ ...psk, ...end });
      const client = new SocketChannel(socket);
      open.push(client);
      client.start();
      expect(client.isActive).to.equal(false);
      expect(await roundTrip(client, 100_000)).to.equal(100_000);
      expect(client.remoteAddress).to.equal(`127.0.0.1:${port}`);
      expect(socket.getProtocol()).to.equal('TLSv1.2');
      expect(await client.close()).to.equal(undefined);
    }
    server.close();
    await once(server, 'close');
  });
});

/** A channel that sends back what it reads. */
function echo(socket: net.Socket): SocketChannel {
  const channel = new SocketChannel(socket);
  channel.pipeline.addLast('echo', { channelRead: (ctx, message) => ctx.writeAndFlush(message) });
  return channel.start();
}

/** Sends bytes to an echo; resolves with how many came back, once all did. */
function roundTrip(channel: SocketChannel, bytes: number): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    channel.pipeline.addLast('count', {
      channelRead(_ctx, message) {
        received += (message as Buffer).length;
        if (received >= bytes) resolve(received);
      },
    });
    channel.start();
    channel.writeAndFlush(Buffer.alloc(bytes));
  });
}

async function unusedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
