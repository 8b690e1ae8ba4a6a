import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { FrameBudget, type FrameHolder } from '../../src/handler/frame-budget.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { createPair, EmbeddedChannel, ManualClock } from '../../src/testing.js';

const holder = (evict: (bytes: number) => void): FrameHolder => ({ bufferedBytes: 0, sinceMillis: 0, evict });

describe('FrameBudget', () => {
  it('ends the connection that has held most bytes for longest, and no more than needed', () => {
    const clock = new ManualClock();
    const budget = new FrameBudget(100, clock);
    const evicted: string[] = [];
    const [lying, large, fresh] = ['lying', 'large', 'fresh'].map((name) => holder(() => evicted.push(name)));
    if (lying === undefined || large === undefined || fresh === undefined) return expect.fail();
    budget.update(lying, 20);
    clock.advance(10_000);
    budget.update(large, 60);
    clock.advance(100);
    budget.update(fresh, 30);
    expect(evicted).to.deep.equal(['lying']);
    expect([budget.bufferedBytes, budget.evictions]).to.deep.equal([90, 1]);
    budget.update(fresh, 50);
    expect([evicted, budget.bufferedBytes]).to.deep.equal([['lying', 'large'], 50]);
    return undefined;
  });

  it('counts anew when a frame has left', () => {
    const clock = new ManualClock();
    const budget = new FrameBudget(100, clock);
    const evicted: string[] = [];
    const [busy, lying] = ['busy', 'lying'].map((name) => holder(() => evicted.push(name)));
    if (busy === undefined || lying === undefined) return expect.fail();
    budget.update(busy, 60);
    clock.advance(1_000);
    budget.update(lying, 40);
    clock.advance(1_000);
    budget.update(busy, 50);
    budget.update(busy, 61);
    expect(evicted).to.deep.equal(['lying']);
    return undefined;
  });

  it('never holds more than it may, and forgets nobody', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(60), fc.nat(20)), { maxLength: 50 }), (steps) => {
        const clock = new ManualClock();
        const budget = new FrameBudget(100, clock);
        const holders = Array.from({ length: 5 }, () => holder(() => {}));
        for (const [index, bytes, millis] of steps) {
          const one = holders[index];
          if (one !== undefined) budget.update(one, bytes);
          clock.advance(millis);
          const sum = holders.reduce((total, { bufferedBytes }) => total + bufferedBytes, 0);
          expect(budget.bufferedBytes).to.equal(sum);
          expect(sum).to.be.at.most(100);
        }
      }),
    );
  });
});

describe('FrameDecoder with a budget', () => {
  const half = (bytes: number): Buffer => {
    const start = Buffer.alloc(bytes);
    start.writeInt32BE(1 << 20, 0);
    return start;
  };

  it('gives back what it held when the frame is whole, the connection ends or the decoder is removed', () => {
    const clock = new ManualClock();
    const budget = new FrameBudget(10_000, clock);
    const frame = Buffer.concat(encodeFrame(RemotingCommand.request(1, { body: Buffer.alloc(500) })));
    const make = (): EmbeddedChannel => new EmbeddedChannel([['frameDecoder', new FrameDecoder({ clock, budget })]]);
    const [first, second, third] = [make(), make(), make()];
    first.writeInbound(frame.subarray(0, 400));
    expect(budget.bufferedBytes).to.equal(400);
    first.writeInbound(frame.subarray(400));
    expect(budget.bufferedBytes).to.equal(0);
    second.writeInbound(half(300));
    third.writeInbound(half(200));
    expect(budget.bufferedBytes).to.equal(500);
    second.destroy();
    expect(budget.bufferedBytes).to.equal(200);
    third.pipeline.remove('frameDecoder');
    expect(budget.bufferedBytes).to.equal(0);
  });

  it('counts whole frames that are kept back too', () => {
    const clock = new ManualClock();
    const budget = new FrameBudget(10_000, clock);
    const frame = Buffer.concat(encodeFrame(RemotingCommand.request(1)));
    const decoder = new FrameDecoder({ clock, budget, nextTurn: (task) => task() });
    const channel = new EmbeddedChannel([['frameDecoder', decoder]]);
    channel.setWritable(false);
    channel.writeInbound(frame);
    channel.writeInbound(frame);
    expect(budget.bufferedBytes).to.equal(2 * frame.length);
    channel.setWritable(true);
    expect(budget.bufferedBytes).to.equal(0);
  });

  it('tells the connection that is ended why, and another that it may go on', () => {
    const clock = new ManualClock();
    const budget = new FrameBudget(1_000, clock);
    const errors: RemotingError[] = [];
    const make = (): EmbeddedChannel =>
      new EmbeddedChannel([
        ['frameDecoder', new FrameDecoder({ clock, budget })],
        ['log', { exceptionCaught: (_ctx, error) => void errors.push(error) }],
      ]);
    const [first, second] = [make(), make()];
    first.writeInbound(half(600));
    clock.advance(1);
    second.writeInbound(half(500));
    expect([first.isActive, second.isActive, budget.bufferedBytes]).to.deep.equal([false, true, 500]);
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]).to.deep.include({ code: 'DECODE_FAILED', kind: 'overBudget', address: 'embedded:1' });
    expect(errors[0]?.message).to.equal(
      'embedded:1 left 600 bytes of frames unfinished while all connections together held more than maxBufferedBytes, 1000; the connection is closed to free them',
    );
  });
});

describe('RemotingServer: caps', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function open(server: RemotingServer): Promise<Socket> {
    const socket = connect(parseSocketAddress(server.address));
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  it('holds of many half frames no more than maxBufferedBytes, and goes on serving (W45)', async () => {
    const server = new RemotingServer({ maxFrameBytes: 1 << 20, maxBufferedBytes: 4 << 20 });
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
    await server.start();
    cleanUps.push(() => server.destroy());
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const half = Buffer.alloc(1 << 19);
    half.writeInt32BE((1 << 20) - 4, 0);
    let ended = 0;
    for (let i = 0; i < 40; i++) {
      const socket = await open(server);
      socket.once('close', () => ended++);
      socket.resume().write(half);
    }
    while (ended < 32) await new Promise((resolve) => setImmediate(resolve));
    expect((await client.invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
    expect(ended).to.equal(32);
    expect(server.counters.decodeErrors.overBudget).to.equal(32);
  });

  it('holds of 2,000 halves of 1 MiB no more than maxBufferedBytes, and nothing once frameTimeoutMillis is over (W45)', async () => {
    const clock = new ManualClock();
    const maxBufferedBytes = 64 << 20;
    const half = Buffer.alloc(1 << 19);
    half.writeInt32BE((1 << 20) - 4, 0);
    const fitting = maxBufferedBytes / half.length;
    await using pair = createPair({
      clock,
      server: { maxFrameBytes: 1 << 20, maxBufferedBytes, frameTimeoutMillis: 60_000, allIdleMillis: 0 },
    });
    const { server } = pair;
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
    /** Bytes of those that were not told to go: of each they are of a frame that is not whole. */
    const held = (): number =>
      [...server.channels].reduce((sum, { isActive, bytesRead }) => sum + (isActive ? bytesRead : 0), 0);
    for (let i = 0; i < 2_000; i++) {
      // The same bytes for all: memory is what the server counts here, and does not have to be there.
      const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
      socket.push(half);
      server.accept(socket);
    }
    while (server.counters.decodeErrors.overBudget < 2_000 - fitting) {
      expect(held()).to.be.at.most(maxBufferedBytes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(held()).to.equal(maxBufferedBytes);
    expect((await pair.client.invokeSync(pair.address, RemotingCommand.request(1))).code).to.equal(0);
    clock.advance(60_000);
    const { overBudget, slowFrame } = server.counters.decodeErrors;
    expect({ overBudget, slowFrame }).to.deep.equal({ overBudget: 2_000 - fitting, slowFrame: fitting });
    while (server.channels.size > 1) await clock.advanceAsync(1_000);
    expect((await pair.client.invokeSync(pair.address, RemotingCommand.request(1))).code).to.equal(0);
  });

  it('closes connections above maxConnections as they come, and takes others once some have gone (W70)', async () => {
    const lines: string[] = [];
    const log = (_fields: object, message: string): void => void lines.push(message);
    const server = new RemotingServer({
      maxConnections: 2,
      logger: { debug: log, info: log, warn: log, error: log },
    });
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
    await server.start();
    cleanUps.push(() => server.destroy());
    const [first] = [await open(server), await open(server)];
    const surplus = await open(server);
    await once(surplus.resume(), 'close');
    expect([server.channels.size, server.counters.refusedConnections]).to.deep.equal([2, 1]);
    expect(lines).to.deep.equal(['refusing 127.0.0.1: 2 connections stand']);
    first?.destroy();
    while (server.channels.size === 2) await new Promise((resolve) => setImmediate(resolve));
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    expect((await client.invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
  });
});
