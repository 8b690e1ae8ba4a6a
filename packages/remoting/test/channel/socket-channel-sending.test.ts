import { expect } from 'chai';
import type { RemotingError } from '../../src/errors.js';
import { destroyOpen, pair, readUntil, stalled } from './socket-pair.js';

describe('SocketChannel, sending', () => {
  afterEach(destroyOpen);

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

  it('sends within flushNow what was flushed, and nothing twice', async () => {
    const seen: string[] = [];
    const { peer, socket } = await pair({
      answer: {
        channelRead: (ctx) => ctx.writeAndFlush(Buffer.from('ab')),
        channelReadComplete({ channel }) {
          channel.flushNow();
          seen.push(`flushed, ${channel.pendingBytes} wait`);
          channel.flushNow();
        },
      },
    });
    // The first write of a socket tells whether others need a callback.
    for (let i = 0; i < 2; i++) {
      seen.length = 0;
      const write = socket.write.bind(socket);
      Object.assign(socket, {
        write(bytes: Buffer, ...rest: []) {
          seen.push(`${bytes}${rest.length > 0 ? ', told' : ''}`);
          return write(bytes, ...rest);
        },
      });
      peer.write('x');
      expect((await readUntil(peer, 2)).toString()).to.equal('ab');
      Object.assign(socket, { write });
      expect(seen).to.deep.equal(i === 0 ? ['ab, told', 'flushed, 2 wait'] : ['ab', 'flushed, 0 wait']);
    }
  });

  it('books nothing for the end of the turn when flushNow has sent all', async () => {
    let isFlushed = true;
    const { peer, socket } = await pair({
      answer: {
        channelRead: (ctx) => ctx.writeAndFlush(Buffer.from('ab')),
        channelReadComplete({ channel }) {
          if (isFlushed) channel.flushNow();
        },
      },
    });
    const booked: number[] = [];
    const { then } = Promise.prototype;
    socket.prependListener('data', () => {
      booked.push(0);
      Object.assign(Promise.prototype, {
        // biome-ignore lint/suspicious/noThenProperty: it is counted
        then(this: Promise<unknown>, ...args: []) {
          booked[booked.length - 1] = (booked.at(-1) ?? 0) + 1;
          return then.apply(this, args);
        },
      });
    });
    socket.on('data', () => void Object.assign(Promise.prototype, { then }));
    for (isFlushed of [true, true, false]) {
      peer.write('x');
      expect((await readUntil(peer, 2)).toString()).to.equal('ab');
    }
    expect(booked).to.deep.equal([0, 0, 1]);
  });

  it('tells a listener once the peer takes what did not leave at once', async () => {
    const { channel, peer, socket } = await pair();
    peer.pause();
    const told: number[] = [];
    await new Promise((resolve) => channel.writeAndFlush(Buffer.from('first'), resolve));
    // As long as the system takes all, nothing waits.
    for (let i = 0; socket.writableLength === 0 && i < 10_000; i++) {
      channel.writeAndFlush(Buffer.alloc(65_536), () => told.push(i));
      channel.flushNow();
    }
    const waits = told.length;
    expect(socket.writableLength).to.be.above(0);
    peer.resume();
    await new Promise((resolve) => channel.writeAndFlush(Buffer.from('last'), resolve));
    expect(told).to.deep.equal(told.map((_, i) => i));
    expect(told.length).to.be.above(waits);
    expect(channel.pendingBytes).to.equal(0);
  });

  it('fails the write of which a socket says within the call that it cannot be', async () => {
    const { channel, peer, socket } = await pair();
    const bytes = new Promise((resolve) => channel.writeAndFlush(Buffer.from('a'), resolve));
    expect((await readUntil(peer, 1)).toString()).to.equal('a');
    expect(await bytes).to.equal(undefined);
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    Object.assign(socket, {
      _write: (_chunk: Buffer, _encoding: string, done: (error: Error) => void) => done(broken),
    });
    const failed = await new Promise<RemotingError | undefined>((resolve) =>
      channel.writeAndFlush(Buffer.from('b'), resolve),
    );
    expect(failed).to.include({ code: 'SEND_FAILED', cause: broken });
    expect(await channel.closed).to.include({ code: 'SEND_FAILED' });
  });

  it('sends a write larger than a batch whole, and calls its listener after the last byte', async () => {
    const { channel, peer } = await pair();
    const bytes = Buffer.alloc(1_000_003, 'abcdefg');
    channel.write(Buffer.from('<'));
    const told = new Promise<unknown[]>((resolve) => {
      channel.writeAndFlush(bytes, (error) => resolve([error, channel.bytesWritten > bytes.length]));
    });
    channel.writeAndFlush(Buffer.from('>'));
    expect([channel.pendingBytes, channel.isWritable]).to.deep.equal([bytes.length + 2, false]);
    const received = await readUntil(peer, bytes.length + 2);
    expect(received.equals(Buffer.concat([Buffer.from('<'), bytes, Buffer.from('>')]))).to.equal(true);
    expect(await told).to.deep.equal([undefined, true]);
  });

  it('calls each listener once when the peer resets while much is waiting', async () => {
    const { channel, peer } = await pair({ a: { exceptionCaught() {} } });
    peer.pause();
    const calls = new Array<number>(50).fill(0);
    const codes = new Set<unknown>();
    for (let i = 0; i < calls.length; i++) {
      channel.writeAndFlush(Buffer.alloc(1024 * 1024), (error) => {
        calls[i] = (calls[i] ?? 0) + 1;
        codes.add(error?.code);
      });
    }
    await stalled(channel);
    peer.resetAndDestroy();
    const error = await channel.closed;
    expect(error?.code).to.be.oneOf(['SEND_FAILED', 'CONNECTION_CLOSED']);
    expect(calls).to.deep.equal(new Array(50).fill(1));
    expect([...codes].filter((code) => code !== undefined)).to.deep.equal([error?.code]);
  });

  it('fails no write whose bytes have left, although the listener of one before it ends the channel', async () => {
    const { channel } = await pair();
    const results: unknown[] = [];
    channel.write(Buffer.from('a'), () => channel.destroy());
    channel.writeAndFlush(Buffer.from('b'), (error) => results.push(error));
    await channel.closed;
    expect(results).to.deep.equal([undefined]);
  });
});
