import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Clock, systemClock } from '../../src/clock.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { Fifo } from '../../src/rpc/fifo.js';
import type { RemotingCore } from '../../src/rpc/remoting-core.js';
import { WorkQueue, type WorkQueueOptions } from '../../src/rpc/work-queue.js';
import type { EmbeddedChannel } from '../../src/testing.js';
import { answer, echo, ONEWAY, request, setUp } from './remoting-core-fixture.js';

const OVERLOAD = '[OVERLOAD]system busy, start flow control for a while';

/** A processor whose answers wait until told, and what it was asked so far. */
function slowProcessor(): {
  processRequest: (ctx: unknown, asked: RemotingCommand) => Promise<RemotingCommand>;
  asked: number[];
  finish: (opaque: number) => Promise<void>;
} {
  const pending = new Map<number, () => void>();
  const asked: number[] = [];
  return {
    asked,
    processRequest: (_ctx, { opaque }) => {
      asked.push(opaque);
      return new Promise((resolve) => pending.set(opaque, () => resolve(RemotingCommand.response(0, 'done'))));
    },
    finish: async (opaque) => {
      pending.get(opaque)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function answers(channel: EmbeddedChannel): [opaque: number, code: number][] {
  const all: [number, number][] = [];
  for (let next = answer(channel); next !== undefined; next = answer(channel)) all.push([next.opaque, next.code]);
  return all;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('WorkQueue', () => {
  function serving(options: WorkQueueOptions): {
    core: RemotingCore;
    channel: EmbeddedChannel;
    slow: ReturnType<typeof slowProcessor>;
    queue: WorkQueue;
    clock: ReturnType<typeof setUp>['clock'];
  } {
    const { core, channel, clock } = setUp();
    const slow = slowProcessor();
    const queue = new WorkQueue({ clock, ...options });
    core.requests.processorTable.register(1, slow, queue);
    return { core, channel, slow, queue, clock };
  }

  it('works on one, lets one wait and refuses the third at once; a oneway fourth gets nothing (B12, W68)', async () => {
    const { core, channel, slow, queue } = serving({ concurrency: 1, queueCapacity: 1 });
    for (const opaque of [1, 2, 3]) channel.writeInbound(request(1, opaque));
    channel.writeInbound(request(1, 4, ONEWAY));
    expect(answer(channel)).to.deep.include({ code: 2, opaque: 3, remark: OVERLOAD });
    expect(answers(channel)).to.deep.equal([]);
    expect([queue.running, queue.size, queue.refused, core.counters.rejected]).to.deep.equal([1, 1, 2, 2]);
    await slow.finish(1);
    await slow.finish(2);
    expect(answers(channel)).to.deep.equal([
      [1, 0],
      [2, 0],
    ]);
    expect(slow.asked).to.deep.equal([1, 2]);
    expect([queue.running, queue.size, core.requests.requestsInFlight]).to.deep.equal([0, 0, 0]);
  });

  it('never holds up, nor makes wait, a processor that answers at once', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo, new WorkQueue({ concurrency: 1, queueCapacity: 0 }));
    for (let opaque = 0; opaque < 100; opaque++) channel.writeInbound(request(1, opaque));
    expect(answers(channel).every(([, code]) => code === 0)).to.equal(true);
    expect(core.requests.requestsInFlight).to.equal(0);
  });

  it('lets requests that are answered at once wait for the next turn after turnMillis, in order, and refuses the surplus', async () => {
    const { core, channel, clock } = setUp();
    const queue = new WorkQueue({ clock, turnMillis: 10, queueCapacity: 5 });
    let ran = 0;
    const took = {
      processRequest: () => {
        clock.advance(4);
        ran++;
        return RemotingCommand.response(0);
      },
    };
    core.requests.processorTable.register(1, took, queue);
    for (let opaque = 1; opaque <= 9; opaque++) channel.writeInbound(request(1, opaque));
    // Three take 12 ms, five wait, one is too many.
    expect([ran, queue.size, queue.refused]).to.deep.equal([3, 5, 1]);
    await turn();
    expect([ran, queue.size]).to.deep.equal([6, 2]);
    channel.writeInbound(request(1, 10));
    expect(ran, 'one that comes later waits behind them').to.equal(6);
    await turn();
    expect([ran, queue.size, queue.running, core.requests.requestsInFlight]).to.deep.equal([9, 0, 0, 0]);
    expect(answers(channel)).to.deep.equal([
      [1, 0],
      [2, 0],
      [3, 0],
      [9, 2],
      [4, 0],
      [5, 0],
      [6, 0],
      [7, 0],
      [8, 0],
      [10, 0],
    ]);
    await turn();
    channel.writeInbound(request(1, 11));
    expect([ran, queue.size], 'a new turn has its own time').to.deep.equal([10, 0]);
  });

  it('with turnMillis takes turns with another queue, however much waits in either', async () => {
    const { core, channel, clock } = setUp();
    const ran: number[] = [];
    const took = {
      processRequest: (_ctx: unknown, { code }: RemotingCommand) => {
        clock.advance(5);
        ran.push(code);
        return RemotingCommand.response(0);
      },
    };
    for (const code of [1, 2])
      core.requests.processorTable.register(code, took, new WorkQueue({ clock, turnMillis: 10 }));
    for (const code of [1, 2]) for (let i = 0; i < 6; i++) channel.writeInbound(request(code, code * 10 + i));
    for (let turns = 0; turns < 4; turns++) await turn();
    expect(ran).to.deep.equal([1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2]);
  });

  it('with turnMillis reads the clock once for eight cheap requests while nothing waits', () => {
    const { core, channel } = setUp();
    let reads = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => {
        reads++;
        return 0;
      },
    };
    core.requests.processorTable.register(1, echo, new WorkQueue({ clock, turnMillis: 10 }));
    for (let opaque = 0; opaque < 100; opaque++) channel.writeInbound(request(1, opaque));
    expect(answers(channel)).to.have.length(100);
    expect(reads).to.equal(14);
  });

  it('with turnMillis looks at the clock before each request that takes a good part of it, though those before were cheap', () => {
    const { core, channel, clock } = setUp();
    let ran = 0;
    const took = {
      processRequest: () => {
        clock.advance(++ran <= 20 ? 0.1 : 3);
        return RemotingCommand.response(0);
      },
    };
    const queue = new WorkQueue({ clock, turnMillis: 20 });
    core.requests.processorTable.register(1, took, queue);
    for (let opaque = 0; opaque < 60; opaque++) channel.writeInbound(request(1, opaque));
    // 2 ms, up to eight that nobody looks at, and then the clock says that 20 are over.
    expect(ran).to.be.within(26, 30);
    expect(queue.size).to.equal(60 - ran);
  });

  it('shared by two codes bounds both together, and no other code', () => {
    const { core, channel, queue } = serving({ concurrency: 1, queueCapacity: 0 });
    core.requests.processorTable.register(2, echo, queue);
    core.requests.processorTable.register(3, echo);
    for (const code of [1, 2, 3]) channel.writeInbound(request(code, code));
    expect(answers(channel)).to.deep.equal([
      [2, 2],
      [3, 0],
    ]);
  });

  it('gives its place back when a processor throws, at once or later', async () => {
    const { core, channel, queue } = serving({ concurrency: 1, queueCapacity: 4 });
    core.requests.processorTable.register(
      2,
      {
        processRequest: (_ctx, { opaque }) => {
          if (opaque % 2 === 0) throw new TypeError('at once');
          return Promise.reject(new TypeError('later'));
        },
      },
      queue,
    );
    for (const opaque of [1, 2, 3, 4, 5]) channel.writeInbound(request(2, opaque));
    await core.requests.whenIdle();
    expect(answers(channel)).to.deep.equal([1, 2, 3, 4, 5].map((opaque) => [opaque, 1]));
    expect([queue.running, queue.size]).to.deep.equal([0, 0]);
  });

  it('tells how long its oldest request waits, and answers SYSTEM_BUSY after maxQueueMillis', () => {
    const { core, channel, slow, queue, clock } = serving({ concurrency: 1, queueCapacity: 9, maxQueueMillis: 200 });
    channel.writeInbound(request(1, 1));
    expect(queue.oldestMillis).to.equal(0);
    channel.writeInbound(request(1, 2));
    clock.advance(150);
    channel.writeInbound(request(1, 3));
    expect(queue.oldestMillis).to.equal(150);
    clock.advance(50);
    expect(answer(channel)).to.deep.include({
      opaque: 2,
      code: 2,
      remark:
        '[TIMEOUT_CLEAN_QUEUE]system busy, start flow control for a while, period in queue: 200ms, size of queue: 1',
    });
    expect([queue.oldestMillis, queue.size, queue.expired]).to.deep.equal([50, 1, 1]);
    clock.advance(150);
    expect(answers(channel)).to.deep.equal([[3, 2]]);
    expect([slow.asked, core.requests.requestsInFlight, clock.pendingTimers]).to.deep.equal([[1], 1, 0]);
  });

  it('leaves no timer behind once nothing waits', async () => {
    const { channel, slow, clock } = serving({ concurrency: 1, maxQueueMillis: 200 });
    for (const opaque of [1, 2]) channel.writeInbound(request(1, opaque));
    expect(clock.pendingTimers).to.equal(1);
    await slow.finish(1);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('does not carry out what waited for a peer that has gone, but does so for a oneway request', async () => {
    const { core, channel, slow } = serving({ concurrency: 1 });
    channel.writeInbound(request(1, 1));
    channel.writeInbound(request(1, 2));
    channel.writeInbound(request(1, 3, ONEWAY));
    channel.destroy();
    await slow.finish(1);
    await slow.finish(3);
    expect(slow.asked).to.deep.equal([1, 3]);
    expect(core.requests.requestsInFlight).to.equal(0);
  });

  it('lets other work run between many that were waiting', async () => {
    const { core, channel, slow, queue } = serving({ concurrency: 1 });
    core.requests.processorTable.register(2, echo, queue);
    channel.writeInbound(request(1, 1));
    for (let opaque = 2; opaque < 200; opaque++) channel.writeInbound(request(2, opaque));
    const seen: number[] = [];
    const idle = core.requests.whenIdle();
    const count = (): void => {
      seen.push(queue.size);
      if (queue.size > 0) setImmediate(count);
    };
    void slow.finish(1);
    setImmediate(count);
    await idle;
    expect(seen.length).to.be.greaterThan(2);
    expect(answers(channel).length).to.equal(199);
  });

  it('carries out what waited in the async context of its own arrival, not of the request that made room', async () => {
    const { core, channel, slow, queue } = serving({ concurrency: 1 });
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    core.requests.processorTable.register(
      2,
      {
        processRequest: () => {
          seen.push(context.getStore());
          return undefined;
        },
      },
      queue,
    );
    channel.writeInbound(request(1, 1), request(2, 2));
    context.run('arrival', () => channel.writeInbound(request(2, 3)));
    await context.run('room', () => slow.finish(1));
    expect(seen).to.deep.equal([undefined, 'arrival']);
  });

  it('says every bound that cannot be', () => {
    expect(() => new WorkQueue({ concurrency: 0, queueCapacity: -1, maxQueueMillis: 0.5 }))
      .to.throw(/concurrency must be .*; queueCapacity must be .*; maxQueueMillis must be /)
      .with.property('code', 'INVALID_ARGUMENT' satisfies RemotingError['code']);
  });

  it('answers each request once, in any order of comings and endings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 4 }),
        fc.array(fc.oneof(fc.constant('ask'), fc.nat({ max: 30 }), fc.constant('wait')), { maxLength: 60 }),
        async (concurrency, queueCapacity, steps) => {
          const { core, channel, slow, queue, clock } = serving({ concurrency, queueCapacity, maxQueueMillis: 10 });
          let asked = 0;
          for (const step of steps) {
            if (step === 'ask') channel.writeInbound(request(1, asked++));
            else if (step === 'wait') clock.advance(6);
            else await slow.finish(step as number);
            expect(queue.running).to.be.at.most(concurrency);
            expect(queue.size).to.be.at.most(queueCapacity);
            expect(core.requests.requestsInFlight).to.equal(queue.running + queue.size);
          }
          while (core.requests.requestsInFlight > 0) for (const opaque of slow.asked) await slow.finish(opaque);
          const opaques = answers(channel).map(([opaque]) => opaque);
          expect(opaques.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: asked }, (_, opaque) => opaque));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('Fifo', () => {
  it('gives back what was put in, in order, as an array does', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (steps) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const step of steps) {
          if (step === undefined) expect(fifo.shift()).to.equal(model.shift());
          else {
            fifo.push(step);
            model.push(step);
          }
          expect([fifo.size, fifo.peek()]).to.deep.equal([model.length, model[0]]);
        }
        expect(fifo.takeIf((item) => item % 2 === 0)).to.deep.equal(model.filter((item) => item % 2 === 0));
        expect(fifo.takeIf(() => true)).to.deep.equal(model.filter((item) => item % 2 !== 0));
      }),
    );
  });
});
