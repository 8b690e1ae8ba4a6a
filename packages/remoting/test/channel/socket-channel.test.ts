import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { SocketChannel, type SocketChannelOptions } from '../../src/channel/socket-channel.js';
import type { RemotingError } from '../../src/errors.js';

interface Pair {
  readonly channel: SocketChannel;
  readonly peer: net.Socket;
  readonly socket: net.Socket;
}

const open: { destroy(): unknown }[] = [];

/** A channel at the accepting end of a loopback connection, started, and the bare socket at the other. */
async function pair(handlers: Record<string, ChannelHandler> = {}, options: SocketChannelOptions = {}): Promise<Pair> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const peer = net.connect({
    port: (server.address() as net.AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  const [socket] = (await accepted) as [net.Socket];
  if (peer.connecting) await once(peer, 'connect');
  server.close();
  const channel = new SocketChannel(socket, options);
  for (const [name, handler] of Object.entries(handlers)) channel.pipeline.addLast(name, handler);
  open.push(peer, channel);
  channel.start();
  return { channel, peer, socket };
}

async function readUntil(socket: net.Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

describe('SocketChannel', () => {
  afterEach(() => {
    for (const thing of open.splice(0)) thing.destroy();
  });

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

  it('hands all that is flushed in one turn to the system in one call, answers of promise jobs too', async () => {
    const { channel, peer, socket } = await pair({
      answer: {
        channelRead(ctx) {
          ctx.writeAndFlush(Buffer.from('a'));
          ctx.writeAndFlush([Buffer.from('b'), Buffer.from('c')]);
          void (async () => {
            for (let i = 0; i < 5; i++) await undefined;
            ctx.writeAndFlush(Buffer.from('d'));
          })();
        },
      },
    });
    let calls = 0;
    const { _write, _writev } = socket as unknown as { _write: () => void; _writev: () => void };
    Object.assign(socket, {
      _write(...args: []) {
        calls++;
        return _write.apply(this, args);
      },
      _writev(...args: []) {
        calls++;
        return _writev.apply(this, args);
      },
    });
    peer.write('x');
    expect((await readUntil(peer, 4)).toString()).to.equal('abcd');
    expect(calls).to.equal(1);
    expect(channel.isActive).to.equal(true);
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
});
