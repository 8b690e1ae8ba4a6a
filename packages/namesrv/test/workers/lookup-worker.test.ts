import { RequestCode } from '@rmqns/protocol';
import {
  decodeFrame,
  encodeFrame,
  FrameSplitter,
  RemotingCommand,
  SerializeType,
  silentLogger,
  WorkQueue,
} from '@rmqns/remoting';
import { createMemorySockets, ManualClock, type MemorySocket } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { HandedOutRoutes } from '../../src/workers/handed-out-routes.js';
import { LookupWorker } from '../../src/workers/lookup-worker.js';
import { OwnerLane } from '../../src/workers/owner-lane.js';
import type { ConnectionTaken, FromWorker, WorkerSettings } from '../../src/workers/worker-messages.js';

const settings: WorkerSettings = {
  allIdleMillis: 120_000,
  maxFrameBytes: 16_777_216,
  proxyProtocolFrom: [],
  version: 479,
  responseSerializeType: 'request',
  isDebug: false,
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function turns(): Promise<void> {
  for (let each = 0; each < 20; each++) await turn();
}

/** A request as bytes. */
function frame(code: number, opaque: number, init: { serializeType?: SerializeType; body?: Buffer } = {}): Buffer {
  const command = RemotingCommand.request(code, { opaque, extFields: { topic: `T${opaque % 3}` }, ...init });
  return Buffer.concat(encodeFrame(command));
}

const lookup = (opaque: number, serializeType: SerializeType = SerializeType.JSON): Buffer =>
  frame(RequestCode.GET_ROUTEINFO_BY_TOPIC, opaque, { serializeType });

/** A worker and its owner's end in one process, joined in memory. */
class Lab {
  readonly told: FromWorker[] = [];
  readonly routes = new HandedOutRoutes();
  readonly worker: LookupWorker;
  readonly lane: OwnerLane;
  readonly clock = new ManualClock();
  isBroken = false;
  asked = 0;
  #lastId = 0;
  readonly #peers: MemorySocket[] = [];

  constructor(answer: (request: RemotingCommand) => RemotingCommand | Promise<RemotingCommand>) {
    const [ownerEnd, workerEnd] = createMemorySockets();
    const common = { clock: this.clock, logger: silentLogger };
    this.lane = new OwnerLane({
      ...common,
      socket: ownerEnd,
      routes: this.routes,
      lookUp: (_ctx, request) => {
        this.asked++;
        return answer(request);
      },
      queue: new WorkQueue({ concurrency: 100, queueCapacity: 100, clock: this.clock }),
      maxFrameBytes: 16_777_216,
      onBroken: () => {
        this.isBroken = true;
      },
    });
    this.worker = new LookupWorker({
      ...common,
      settings,
      lane: workerEnd,
      toOwner: (message) => void this.told.push(message),
      onLaneClosed: () => {},
    });
  }

  /** A peer's end of a connection that the worker serves, and what came back over it. */
  connect(): { peer: MemorySocket; answers: RemotingCommand[] } {
    const [peer, served] = createMemorySockets({ localPort: 1_000 + this.#lastId });
    const splitter = new FrameSplitter();
    const answers: RemotingCommand[] = [];
    peer.on('error', () => {});
    peer.on('data', (chunk: Buffer) => {
      splitter.push(chunk);
      while (splitter.advance())
        answers.push(decodeFrame(splitter.frame.subarray(splitter.frameStart, splitter.frameEnd)));
    });
    this.worker.accept(++this.#lastId, served);
    this.#peers.push(peer);
    return { peer, answers };
  }

  get taken(): ConnectionTaken[] {
    return this.told.filter((message) => message.type === 'taken');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) peer.destroy();
    await this.worker.destroy();
    this.lane.end();
    await turns();
  }
}

const found = (request: RemotingCommand): RemotingCommand =>
  RemotingCommand.response(0, undefined, { body: Buffer.from(`route of ${request.extFields?.['topic']}`) });

describe('a worker that serves lookups', () => {
  it('asks its owner once for a topic, and again once that says that it has changed', async () => {
    await using lab = new Lab(found);
    await lab.worker.start();
    const { peer, answers } = lab.connect();
    peer.write(Buffer.concat([lookup(3), lookup(6)]));
    await turns();
    peer.write(lookup(9));
    await turns();
    expect(answers.map(({ opaque, code, body }) => [opaque, code, String(body)])).to.deep.equal([
      [3, 0, 'route of T0'],
      [6, 0, 'route of T0'],
      [9, 0, 'route of T0'],
    ]);
    expect(lab.asked).to.equal(1);
    expect(await lab.lane.describe()).to.deep.equal({ lookups: 3, misses: 1, copies: 1 });
    lab.routes.invalidate('T0');
    lab.routes.invalidate('T1');
    await lab.routes.settled();
    expect(await lab.lane.describe()).to.deep.equal({ lookups: 3, misses: 1, copies: 0 });
    peer.write(lookup(12));
    await turns();
    expect(lab.asked).to.equal(2);
    expect(lab.taken).to.deep.equal([]);
  });

  it("gives its owner's refusals on, and keeps none", async () => {
    await using lab = new Lab(() => RemotingCommand.response(17, 'No topic route info'));
    await lab.worker.start();
    const { peer, answers } = lab.connect();
    peer.write(lookup(3));
    await turns();
    peer.write(lookup(6));
    await turns();
    expect(answers.map(({ code, remark }) => [code, remark])).to.deep.equal([
      [17, 'No topic route info'],
      [17, 'No topic route info'],
    ]);
    expect(lab.asked).to.equal(2);
  });

  it('keeps nothing that its owner made later, which may be old already', async () => {
    await using lab = new Lab(async (request) => found(request));
    await lab.worker.start();
    const { peer, answers } = lab.connect();
    for (const opaque of [3, 6]) {
      peer.write(lookup(opaque));
      await turns();
    }
    expect(answers.map(({ opaque, code, body }) => [opaque, code, String(body)])).to.deep.equal([
      [3, 0, 'route of T0'],
      [6, 0, 'route of T0'],
    ]);
    expect(lab.asked).to.equal(2);
  });

  it('answers that it is busy when its owner does not answer in time', async () => {
    await using lab = new Lab(() => new Promise(() => {}));
    await lab.worker.start();
    const { peer, answers } = lab.connect();
    peer.write(lookup(3));
    await turns();
    lab.clock.advance(3_000);
    await turns();
    expect(answers.map(({ code }) => code)).to.deep.equal([2]);
  });

  it('gives a connection back at the first other request, with all bytes from there and every lookup answered', async () => {
    const kinds = fc.constantFrom('json', 'binary');
    const rest = fc.constantFrom(
      frame(RequestCode.REGISTER_BROKER, 500, { body: Buffer.alloc(300, 7) }),
      frame(RequestCode.GET_BROKER_CLUSTER_INFO, 500, { serializeType: SerializeType.ROCKETMQ }),
      // A TLS handshake.
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]),
      Buffer.from('GET / HTTP/1.1\r\n'),
      // Half a frame: enough of it to know that it is none of ours.
      frame(RequestCode.REGISTER_BROKER, 500).subarray(0, 25),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(kinds, { maxLength: 6 }),
        rest,
        fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 12 }),
        async (lookups, other, cuts) => {
          await using lab = new Lab(found);
          await lab.worker.start();
          const { peer, answers } = lab.connect();
          const frames = lookups.map((kind, index) =>
            lookup(index + 1, kind === 'json' ? SerializeType.JSON : SerializeType.ROCKETMQ),
          );
          const all = Buffer.concat([...frames, other, lookup(700)]);
          const places = [...new Set(cuts.filter((cut) => cut < all.length))].sort((a, b) => a - b);
          for (const [index, place] of [0, ...places].entries()) {
            peer.write(all.subarray(place, places[index] ?? all.length));
            await turn();
          }
          await turns();
          expect(new Set(answers.map(({ opaque }) => opaque))).to.deep.equal(new Set(lookups.map((_, at) => at + 1)));
          const [taken, ...more] = lab.taken;
          expect(more).to.deep.equal([]);
          // What had not come when it was given back is its next owner's to read.
          const given = Buffer.from(taken?.bytes ?? []);
          const after = Buffer.concat([other, lookup(700)]);
          expect(given.length).to.be.above(0);
          expect(given.equals(after.subarray(0, given.length))).to.equal(true);
          expect(lab.told.some(({ type }) => type === 'closed')).to.equal(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps a connection until its lookups before the other request are answered', async () => {
    let answer: (response: RemotingCommand) => void = () => {};
    await using lab = new Lab(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await lab.worker.start();
    const { peer, answers } = lab.connect();
    peer.write(Buffer.concat([lookup(3), frame(RequestCode.GET_BROKER_CLUSTER_INFO, 4)]));
    await turns();
    expect(lab.taken).to.deep.equal([]);
    answer(RemotingCommand.response(17, 'none'));
    await turns();
    expect(answers.map(({ opaque }) => opaque)).to.deep.equal([3]);
    expect(lab.taken.map(({ id }) => id)).to.deep.equal([1]);
  });

  it('tells its owner of a connection that has ended', async () => {
    await using lab = new Lab(found);
    await lab.worker.start();
    const { peer } = lab.connect();
    peer.write(lookup(3));
    await turns();
    peer.end();
    await turns();
    expect(lab.told.slice(1)).to.deep.equal([{ type: 'closed', id: 1 }]);
  });

  it('that does not obey in time is given up, and its owner waits until it has ended', async () => {
    await using lab = new Lab(found);
    // It was never started: nobody listens at the other end of the lane.
    lab.routes.invalidateAll();
    let isSettled = false;
    void lab.routes.settled()?.then(() => {
      isSettled = true;
    });
    await turns();
    lab.clock.advance(2_000);
    await turns();
    expect(lab.isBroken).to.equal(true);
    expect(isSettled).to.equal(false);
    lab.lane.end();
    await turns();
    expect(isSettled).to.equal(true);
  });
});
