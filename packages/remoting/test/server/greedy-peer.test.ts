import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';

const KIB = 1_024;
const frames = (code: number, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, opaque) => encodeFrame(RemotingCommand.request(code, { opaque }))).flat(),
  );

/** Resolves with the connection that the server does not read from because its peer takes nothing. */
async function pausedBy(server: RemotingServer): Promise<Channel> {
  for (;;) {
    const channel = [...server.channels].find(({ isReading, isWritable }) => !isReading && !isWritable);
    if (channel !== undefined) return channel;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets time go by until the connection has ended. */
async function cutOff(channel: Channel, clock: ManualClock): Promise<void> {
  let isOver = false;
  void channel.closed.then(() => {
    isOver = true;
  });
  while (!isOver) await clock.advanceAsync(1_000);
}

/** Whoever else asks is answered. */
async function servesOthers(client: RemotingClient, server: RemotingServer): Promise<void> {
  for (let i = 0; i < 100; i++)
    expect((await client.invokeSync(server.address, RemotingCommand.request(2))).code).to.equal(0);
}

describe('A peer that asks and asks', () => {
  it('for 400 MB of answers and reads none is paused: little is held for it, others are served, and it is cut off (W43)', async () => {
    const clock = new ManualClock();
    const server = new RemotingServer({ clock, allIdleMillis: 0, stalledWriteMillis: 1_000 });
    const body = Buffer.alloc(64 * KIB);
    let answered = 0;
    let mostBytes = 0;
    server.registerProcessor(1, {
      processRequest: ({ channel }) => {
        answered++;
        mostBytes = Math.max(mostBytes, channel.pendingBytes);
        return RemotingCommand.response(0, undefined, { body });
      },
    });
    server.registerProcessor(2, { processRequest: () => RemotingCommand.response(0) });
    await server.start();
    const client = new RemotingClient();
    const socket = connect(parseSocketAddress(server.address)).on('error', () => {});
    try {
      await once(socket, 'connect');
      socket.pause().write(frames(1, 6_400));
      const greedy = await pausedBy(server);
      // One answer may be written at the mark, whatever its size.
      expect(mostBytes).to.be.at.most(2 * 64 * KIB);
      await servesOthers(client, server);
      expect(answered).to.be.below(6_400);
      await cutOff(greedy, clock);
      expect(answered).to.be.below(6_400);
      expect((await client.invokeSync(server.address, RemotingCommand.request(2))).code).to.equal(0);
    } finally {
      socket.destroy();
      await client.destroy();
      await server.destroy();
    }
  });

  it('with 400 MB of requests and reads nothing is paused: what is held of it, both ways, stays below twice the high water mark and a frame each way (W43)', async () => {
    const clock = new ManualClock();
    const server = new RemotingServer({ clock, allIdleMillis: 0, stalledWriteMillis: 1_000 });
    const asking = Buffer.concat(encodeFrame(RemotingCommand.request(1, { body: Buffer.alloc(4 * KIB) })));
    let answered = 0;
    let mostBytes = 0;
    server.registerProcessor(1, {
      processRequest: ({ channel }, { body }) => {
        answered++;
        mostBytes = Math.max(mostBytes, channel.pendingBytes + channel.bytesRead - answered * asking.length);
        return RemotingCommand.response(0, undefined, { body });
      },
    });
    server.registerProcessor(2, { processRequest: () => RemotingCommand.response(0) });
    await server.start();
    const client = new RemotingClient();
    const socket = connect(parseSocketAddress(server.address)).on('error', () => {});
    try {
      await once(socket, 'connect');
      socket.pause();
      const requests = Buffer.concat(new Array<Buffer>(256).fill(asking));
      // The same bytes again and again: they are held once here.
      for (let sent = 0; sent < 400_000_000; sent += requests.length) socket.write(requests);
      const greedy = await pausedBy(server);
      await servesOthers(client, server);
      mostBytes = Math.max(mostBytes, greedy.pendingBytes + greedy.bytesRead - answered * asking.length);
      // A request may be cut by the end of what was read, and an answer reach over the mark.
      expect(mostBytes).to.be.within(64 * KIB, 2 * (64 * KIB + asking.length));
      await cutOff(greedy, clock);
      // What the system's own buffers hold was taken as well.
      expect(greedy.bytesRead).to.be.below(40_000_000);
    } finally {
      socket.destroy();
      await client.destroy();
      await server.destroy();
    }
  });

  it('without a pause leaves others their turn: between two turns of the loop no more run than 256 of its requests that wait and 256 that come (W21)', async () => {
    const server = new RemotingServer();
    let inTurn = 0;
    let mostInTurn = 0;
    let served = 0;
    server.registerProcessor(1, {
      processRequest: () => {
        served++;
        mostInTurn = Math.max(mostInTurn, ++inTurn);
        return undefined;
      },
    });
    await server.start();
    const socket = connect(parseSocketAddress(server.address)).on('error', () => {});
    try {
      socket.write(frames(1, 20_000));
      while (served < 20_000) {
        await new Promise((resolve) => setImmediate(resolve));
        inTurn = 0;
      }
      expect(mostInTurn).to.be.at.most(2 * 256);
    } finally {
      socket.destroy();
      await server.destroy();
    }
  });

  for (const [millis, requests] of [
    [0.02, 20_000],
    [0.1, 4_000],
    [1, 400],
    [3, 150],
  ] as const) {
    it(`for what takes ${millis} ms each leaves timers their turn within 20 ms (W21)`, async () => {
      const clock = new ManualClock();
      const server = new RemotingServer({ clock, allIdleMillis: 0 });
      let served = 0;
      server.registerProcessor(1, {
        processRequest: () => {
          served++;
          clock.advance(millis);
          return undefined;
        },
      });
      await server.start();
      const socket = connect(parseSocketAddress(server.address)).on('error', () => {});
      try {
        socket.write(frames(1, requests));
        let longestMillis = 0;
        for (let began = clock.monotonic(); served < requests; began = clock.monotonic()) {
          await new Promise((resolve) => setImmediate(resolve));
          longestMillis = Math.max(longestMillis, clock.monotonic() - began);
        }
        expect(longestMillis).to.be.within(5, 20);
      } finally {
        socket.destroy();
        await server.destroy();
      }
    });
  }

  it('of a client is slowed down too: no more of what a server pushes is under way than maxInFlightPerChannel (W54)', async () => {
    const server = new RemotingServer({ onewayPermits: 10_000 });
    const client = new RemotingClient({ maxInFlightPerChannel: 8 });
    const waiting: (() => void)[] = [];
    let underWay = 0;
    let most = 0;
    let served = 0;
    client.registerProcessor(1, {
      processRequest: async () => {
        most = Math.max(most, ++underWay);
        await new Promise<void>((resolve) => waiting.push(resolve));
        underWay--;
        served++;
        return undefined;
      },
    });
    await server.start();
    try {
      await client.connect(server.address);
      while (server.channels.size === 0) await new Promise((resolve) => setImmediate(resolve));
      const [channel] = server.channels;
      if (channel === undefined) throw new Error('no connection');
      const push = RemotingCommand.request(1, { body: Buffer.alloc(16 * KIB) });
      const pushed = Array.from({ length: 2_000 }, () => server.invokeOneway(channel, push, 60_000));
      while (client.channel(server.address)?.isReading === true) await new Promise((resolve) => setImmediate(resolve));
      while (served < 2_000) {
        await new Promise((resolve) => setImmediate(resolve));
        for (const go of waiting.splice(0)) go();
      }
      await Promise.all(pushed);
      expect(most).to.equal(8);
    } finally {
      await client.destroy();
      await server.destroy();
    }
  });
});
