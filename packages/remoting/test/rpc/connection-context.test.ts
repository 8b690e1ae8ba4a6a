import { connect } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { CommandDispatcher } from '../../src/rpc/command-dispatcher.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';
import { answer, request, setUp } from './remoting-core-fixture.js';

const frame = (code: number, opaque: number): Buffer => Buffer.concat(encodeFrame(request(code, opaque)));
const frames = (code: number, first: number, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => frame(code, first + index)));

/** Tells how often its reading is held. */
class HoldsChannel extends EmbeddedChannel {
  holds = 0;

  override holdReads(): void {
    this.holds++;
    super.holdReads();
  }

  override releaseReads(): void {
    this.holds--;
    super.releaseReads();
  }
}

describe('the bound of requests under way on a connection', () => {
  it('stops the reading, in mid-chunk too, and refuses nothing (W70)', async () => {
    const { core } = setUp({ maxInFlightPerChannel: 4 });
    const turns: (() => void)[] = [];
    const channel = new HoldsChannel([
      ['frameDecoder', new FrameDecoder({ clock: new ManualClock(), nextTurn: (task) => turns.push(task) })],
      ['dispatcher', new CommandDispatcher(core)],
    ]);
    const finish: (() => void)[] = [];
    core.requests.processorTable.register(1, {
      processRequest: () => new Promise((resolve) => finish.push(() => resolve(RemotingCommand.response(0)))),
    });
    channel.writeInbound(frames(1, 1, 10));
    expect([core.requests.requestsInFlight, channel.holds]).to.deep.equal([4, 2]);
    let answered = 0;
    while (finish.length > 0) {
      finish.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      for (const turn of turns.splice(0)) turn();
      expect(core.requests.requestsInFlight).to.be.at.most(4);
      while (answer(channel) !== undefined) answered++;
    }
    expect([answered, channel.holds, core.requests.requestsInFlight]).to.deep.equal([10, 0, 0]);
  });

  it('does not count the time without reading against a frame that is not whole', async () => {
    const { core } = setUp({ maxInFlightPerChannel: 1 });
    const clock = new ManualClock();
    const channel = new HoldsChannel([
      ['frameDecoder', new FrameDecoder({ clock, frameTimeoutMillis: 1_000, nextTurn: (task) => task() })],
      ['dispatcher', new CommandDispatcher(core)],
    ]);
    let finish = (): void => {};
    core.requests.processorTable.register(1, {
      processRequest: () => new Promise((resolve) => (finish = () => resolve(RemotingCommand.response(0)))),
    });
    const second = frame(1, 2);
    channel.writeInbound(Buffer.concat([frame(1, 1), second.subarray(0, 10)]));
    clock.advance(10_000);
    expect(channel.isActive).to.equal(true);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(channel.holds).to.equal(0);
    channel.writeInbound(second.subarray(10));
    finish();
    await core.requests.whenIdle();
    expect([answer(channel)?.opaque, answer(channel)?.opaque]).to.deep.equal([1, 2]);
  });

  it('keeps a fast peer and a slow handler bounded over a real connection, and answers all (W53)', async () => {
    const server = new RemotingServer({ maxInFlightPerChannel: 8 });
    const waiting: (() => void)[] = [];
    let most = 0;
    let underWay = 0;
    server.registerProcessor(1, {
      processRequest: async () => {
        most = Math.max(most, ++underWay);
        await new Promise<void>((resolve) => waiting.push(resolve));
        underWay--;
        return RemotingCommand.response(0);
      },
    });
    await server.start();
    const socket = connect(parseSocketAddress(server.address));
    try {
      let received = '';
      socket.setEncoding('latin1').on('data', (text) => (received += text));
      socket.write(frames(1, 1, 2_000));
      while (received.split('"opaque"').length - 1 < 2_000) {
        await new Promise((resolve) => setImmediate(resolve));
        for (const go of waiting.splice(0)) go();
      }
      expect(most).to.equal(8);
    } finally {
      socket.destroy();
      await server.destroy();
    }
  });
});

describe('RemotingServer: overload', () => {
  it('answers 64 requests of one segment of which 10 are refused: 54 served, 10 SYSTEM_BUSY at once (W68)', async () => {
    const server = new RemotingServer();
    const waiting: (() => void)[] = [];
    server.registerProcessor(
      1,
      { processRequest: () => new Promise((resolve) => waiting.push(() => resolve(RemotingCommand.response(0)))) },
      { concurrency: 4, queueCapacity: 50 },
    );
    await server.start();
    const socket = connect(parseSocketAddress(server.address));
    try {
      let received = '';
      const count = (code: number): number => received.split(`"code":${code},`).length - 1;
      const until = async (enough: () => boolean): Promise<void> => {
        while (!enough()) {
          await new Promise((resolve) => socket.once('data', resolve));
        }
      };
      socket.setEncoding('latin1').on('data', (text) => (received += text));
      socket.write(frames(1, 1, 64));
      await until(() => count(2) === 10);
      expect([count(0), server.workQueue(1)?.running, server.workQueue(1)?.size]).to.deep.equal([0, 4, 50]);
      expect(server.counters.rejected).to.equal(10);
      const serving = setInterval(() => {
        for (const go of waiting.splice(0)) go();
      }, 0);
      try {
        await until(() => count(0) === 54);
      } finally {
        clearInterval(serving);
      }
    } finally {
      socket.destroy();
      await server.destroy();
    }
  });
});
