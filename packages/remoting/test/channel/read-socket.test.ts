import { once } from 'node:events';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { isLent } from '../../src/buffer/read-memory.js';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { readSocket } from '../../src/channel/read-socket.js';
import { SocketChannel } from '../../src/channel/socket-channel.js';
import { destroyOpen, open } from './socket-pair.js';

interface Accepted {
  readonly socket: net.Socket;
  readonly peer: net.Socket;
  /** Settles when the server has ended, which waits for the sockets that it knows. */
  readonly ended: Promise<unknown>;
}

async function accept(options: net.ServerOpts = { pauseOnConnect: true }): Promise<Accepted> {
  const server = net.createServer(options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const peer = net.connect({ port: (server.address() as net.AddressInfo).port, host: '127.0.0.1' });
  const [socket] = (await accepted) as [net.Socket];
  const ended = once(server, 'close');
  server.close();
  open.push(peer, socket);
  return { socket, peer, ended };
}

/** Keeps what it reads, and tells of each read. */
class Keeper implements ChannelHandler {
  readonly borrowsBytes: boolean;
  readonly read: Buffer[] = [];
  onRead: () => void = () => {};

  constructor(borrowsBytes: boolean) {
    this.borrowsBytes = borrowsBytes;
  }

  channelRead(_ctx: unknown, message: unknown): void {
    this.read.push(message as Buffer);
    this.onRead();
  }

  async next(): Promise<Buffer> {
    await new Promise<void>((resolve) => {
      this.onRead = resolve;
    });
    return this.read.at(-1) as Buffer;
  }
}

async function channelWith(keeper: Keeper): Promise<{ channel: SocketChannel; peer: net.Socket }> {
  const { socket, peer } = await accept();
  const channel = new SocketChannel(readSocket(socket));
  open.push(channel);
  channel.pipeline.addLast('keeper', keeper);
  channel.start();
  return { channel, peer };
}

describe('a socket that reads into the memory that all share', () => {
  afterEach(destroyOpen);

  it('lends its bytes to a first handler that borrows them, and the next read overwrites them', async () => {
    const first = new Keeper(true);
    const second = new Keeper(true);
    const one = await channelWith(first);
    const other = await channelWith(second);
    one.peer.write('first');
    const lent = await first.next();
    expect([isLent(lent), lent.toString()]).to.deep.equal([true, 'first']);
    other.peer.write('other');
    await second.next();
    expect(lent.toString()).to.equal('other');
  });

  it('gives any other handler bytes of its own', async () => {
    const keeper = new Keeper(false);
    const { peer } = await channelWith(keeper);
    for (const text of ['first', 'other', 'a longer one']) {
      peer.write(text);
      expect(isLent(await keeper.next())).to.equal(false);
    }
    expect(keeper.read.map(String)).to.deep.equal(['first', 'other', 'a longer one']);
  });

  it('reads nothing while the channel does not, and all of it afterwards', async () => {
    const keeper = new Keeper(false);
    const { channel, peer } = await channelWith(keeper);
    channel.autoRead = false;
    peer.write('now and ');
    peer.end('then');
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(keeper.read).to.deep.equal([]);
    channel.autoRead = true;
    await channel.closed;
    expect(Buffer.concat(keeper.read).toString()).to.equal('now and then');
  });

  it('counts what it read, and tells of the end of its peer', async () => {
    const keeper = new Keeper(true);
    const { channel, peer } = await channelWith(keeper);
    peer.end('12345');
    expect(await channel.closed).to.equal(undefined);
    expect(channel.bytesRead).to.equal(5);
  });

  it('takes the place of the accepted one, which its server does not wait for', async () => {
    const { socket, ended } = await accept();
    const again = readSocket(socket);
    open.push(again);
    expect(again).to.not.equal(socket);
    expect([socket.destroyed, again.destroyed, again.remotePort === undefined]).to.deep.equal([true, false, false]);
    await ended;
  });

  it('is no other than the one that was given where that has read already, or is none of the system', async () => {
    const { socket, peer } = await accept({});
    peer.write('early');
    await once(socket, 'readable');
    expect(readSocket(socket)).to.equal(socket);
    const pipe = new PassThrough() as unknown as net.Socket;
    expect(readSocket(pipe)).to.equal(pipe);
  });
});
