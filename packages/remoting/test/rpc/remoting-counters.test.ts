import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { DecodeErrorKind } from '../../src/errors.js';
import type { RemotingCounters } from '../../src/rpc/remoting-counters.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { echo, ONEWAY, request, setUp } from './remoting-core-fixture.js';

/** The counts that are not 0, those by code and kind aside. */
function counted({ decodeErrors: _errors, requestCodes: _asked, responseCodes: _said, ...counters }: RemotingCounters) {
  return Object.fromEntries(Object.entries(counters).filter(([, value]) => value !== 0));
}

describe('RemotingCounters', () => {
  it('begins with zeros', () => {
    const { core } = setUp();
    expect(counted(core.counters)).to.deep.equal({});
    const none = {
      frameTooLarge: 0,
      corruptFrame: 0,
      headerTooLarge: 0,
      badHeader: 0,
      slowFrame: 0,
      overBudget: 0,
      truncatedFrame: 0,
    };
    expect(core.counters.decodeErrors).to.deep.equal(none);
    expect([core.counters.requestCodes, core.counters.responseCodes]).to.deep.equal([{}, {}]);
  });

  it('counts requests that come in and their answers, by code too', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo);
    core.requests.processorTable.register(2, { processRequest: () => undefined, rejectRequest: () => true });
    core.requests.processorTable.register(4, {
      processRequest: () => {
        throw new Error('no');
      },
    });
    channel.writeInbound(request(1, 1), request(1, 2, ONEWAY), request(2, 3), request(4, 4), request(9, 5));
    expect(counted(core.counters)).to.deep.equal({
      requestsIn: 5,
      onewayIn: 1,
      responsesOut: 4,
      rejected: 1,
      systemErrors: 1,
    });
    expect(core.counters.requestCodes).to.deep.equal({ '1': 2, '2': 1, '4': 1, '9': 1 });
    expect(core.counters.responseCodes).to.deep.equal({ '0': 1, '1': 1, '2': 1, '3': 1 });
  });

  it('counts calls by how they end', () => {
    const { core, channel, clock } = setUp({ onewayPermits: 0, asyncPermits: 0 });
    const call = (isOneway = false) =>
      core.calls.begin({ clock, timeoutMillis: 100, request: RemotingCommand.request(1), isOneway }, () => {});
    core.calls.send(call(), channel);
    core.calls.send(call(), channel);
    core.calls.send(call(true), channel);
    call().acquire(core.calls.asyncPermits, false, () => {});
    const first = channel.readOutbound() as RemotingCommand;
    const response = () => RemotingCommand.response(0, undefined, { opaque: first.opaque });
    channel.writeInbound(response(), response());
    clock.advance(100);
    expect(counted(core.counters)).to.deep.equal({
      requestsOut: 2,
      responsesIn: 1,
      lateResponses: 1,
      failedCalls: 3,
      timeouts: 1,
      tooManyRequests: 2,
    });
  });

  it('counts a oneway request that leaves', () => {
    const { core, channel, clock } = setUp();
    const init = { clock, timeoutMillis: 100, request: RemotingCommand.request(1), isOneway: true };
    core.calls.send(
      core.calls.begin(init, () => {}),
      channel,
    );
    expect(counted(core.counters)).to.deep.equal({ requestsOut: 1, onewayOut: 1 });
  });

  it('gives a copy', () => {
    const { core, channel } = setUp();
    const before = core.counters;
    channel.writeInbound(request(9, 1));
    expect([before.requestsIn, before.requestCodes]).to.deep.equal([0, {}]);
  });

  describe('of a client and a server', () => {
    let server: RemotingServer;
    let client: RemotingClient;
    const clock = new ManualClock();
    beforeEach(async () => {
      server = new RemotingServer({ clock, maxFrameBytes: 4096, maxHeaderBytes: 128 });
      server.registerProcessor(1, echo);
      await server.start();
      client = new RemotingClient();
    });
    afterEach(() => Promise.all([client.destroy(), server.destroy()]));

    it('are told by both sides alike', async () => {
      await client.invokeSync(server.address, RemotingCommand.request(1, { body: Buffer.alloc(100) }));
      const ended = new Promise((resolve) => server.once('close', resolve));
      await client.close();
      await ended;
      await server.close();
      const [ours, theirs] = [client.counters, server.counters];
      expect([ours.connects, ours.disconnects, ours.connectFailures]).to.deep.equal([1, 1, 0]);
      expect([theirs.connects, theirs.disconnects]).to.deep.equal([1, 1]);
      expect([ours.requestsOut, ours.responsesIn]).to.deep.equal([1, 1]);
      expect([ours.bytesIn, ours.bytesOut]).to.deep.equal([theirs.bytesOut, theirs.bytesIn]);
      expect(ours.bytesOut).to.be.above(100);
    });

    it('include dials that come to nothing', async () => {
      const { address } = server;
      await server.destroy();
      await client.invokeSync(address, RemotingCommand.request(1)).catch(() => {});
      expect([client.counters.connects, client.counters.connectFailures]).to.deep.equal([0, 1]);
      expect(client.counters.failedCalls).to.equal(1);
    });

    const whole = Buffer.concat(encodeFrame(RemotingCommand.request(1)));
    const noJson = Buffer.from([0, 0, 0, 5, 0, 0, 0, 1, 0x21]);
    const bad: [kind: DecodeErrorKind, bytes: Buffer, after: (socket: Socket) => void][] = [
      [DecodeErrorKind.FRAME_TOO_LARGE, Buffer.from([0x7f, 0xff, 0xff, 0xff]), () => {}],
      [DecodeErrorKind.CORRUPT_FRAME, Buffer.from([0, 0, 0, 1]), () => {}],
      [
        DecodeErrorKind.HEADER_TOO_LARGE,
        Buffer.concat([Buffer.from([0, 0, 2, 4, 0, 0, 2, 0]), Buffer.alloc(512)]),
        () => {},
      ],
      [DecodeErrorKind.BAD_HEADER, noJson, () => {}],
      [DecodeErrorKind.TRUNCATED_FRAME, whole.subarray(0, 20), (socket) => socket.end()],
    ];
    for (const [kind, bytes, after] of bad) {
      it(`tell of ${kind}`, async () => {
        const socket = connect(parseSocketAddress(server.address));
        const ended = new Promise((resolve) => server.once('close', resolve));
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write(bytes, () => after(socket));
        await ended;
        socket.destroy();
        const { decodeErrors } = server.counters;
        const seen = Object.entries(decodeErrors).filter(([, count]) => count > 0);
        expect(seen).to.deep.equal([[kind, 1]]);
      });
    }

    it('tell of a frame that is not whole in time', async () => {
      const socket = connect(parseSocketAddress(server.address));
      socket.on('error', () => {});
      const channel = await new Promise<Channel>((resolve) => server.once('connect', resolve));
      const read = new Promise<void>((resolve) => {
        channel.pipeline.addAfter('frameDecoder', 'seen', {
          channelReadComplete: (ctx) => {
            ctx.fireChannelReadComplete();
            resolve();
          },
        });
      });
      socket.write(whole.subarray(0, 20));
      await read;
      const ended = new Promise((resolve) => server.once('close', resolve));
      clock.advance(60_000);
      clock.advance(60_000);
      await ended;
      socket.destroy();
      expect(server.counters.decodeErrors.slowFrame).to.equal(1);
    });
  });
});
