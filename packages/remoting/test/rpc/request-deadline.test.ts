import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { DEADLINE_FIELD, deadlineMillisOf } from '../../src/rpc/request-deadline.js';
import type { RequestContext } from '../../src/rpc/request-processor.js';
import { WorkQueue } from '../../src/rpc/work-queue.js';
import { answer, echo, request, setUp } from './remoting-core-fixture.js';

const within = (millis: number | string): { extFields: Record<string, string> } => ({
  extFields: { [DEADLINE_FIELD]: String(millis) },
});

describe('the deadline that a caller gives with its request', () => {
  /** A core whose processor of code 1 never answers and keeps the context it was given. */
  function waiting(): ReturnType<typeof setUp> & { contexts: RequestContext[] } {
    const made = setUp();
    const contexts: RequestContext[] = [];
    made.core.requests.processorTable.register(1, {
      processRequest: (ctx) => {
        contexts.push(ctx);
        return new Promise(() => {});
      },
    });
    return { ...made, contexts };
  }

  it('is read in whole milliseconds, and ignored where it is none', () => {
    const read = (text: string): number | undefined => deadlineMillisOf(request(1, 1, within(text)));
    expect(['250', '0', '-3', '99999999999'].map(read)).to.deep.equal([250, 0, -3, 2_147_483_647]);
    expect(['', 'soon', '1e3', '2.5', '9'.repeat(400)].map(read)).to.deep.equal(Array(5).fill(undefined));
    expect(deadlineMillisOf(request(1, 1))).to.equal(undefined);
  });

  it('is seen by the processor as what remains, without end where none was given (W17)', () => {
    const { channel, clock, contexts } = waiting();
    channel.writeInbound(request(1, 1, within(250)), request(1, 2));
    clock.advance(100);
    expect(contexts.map((ctx) => ctx.remainingMillis())).to.deep.equal([150, Number.POSITIVE_INFINITY]);
    clock.advance(200);
    expect(contexts[0]?.remainingMillis()).to.equal(0);
  });

  it('aborts the signal when it passes, that of its request alone', () => {
    const { channel, clock, contexts } = waiting();
    channel.writeInbound(request(1, 1, within(250)), request(1, 2, within(500)), request(1, 3));
    const aborted = (): boolean[] => contexts.map(({ signal }) => signal.aborted);
    expect(aborted()).to.deep.equal([false, false, false]);
    clock.advance(250);
    expect(aborted()).to.deep.equal([true, false, false]);
    expect(contexts[0]?.signal.reason).to.deep.include({ code: 'TIMEOUT', address: 'embedded:1' });
    channel.destroy();
    expect(aborted()).to.deep.equal([true, true, true]);
    expect(contexts[1]?.signal.reason).to.deep.include({ code: 'CONNECTION_CLOSED' });
    expect(clock.pendingTimers).to.equal(0);
  });

  it('costs no timer until the signal is asked for, and leaves none behind', async () => {
    const { core, channel, clock } = setUp();
    const finish: (() => void)[] = [];
    core.requests.processorTable.register(1, {
      processRequest: ({ signal }) =>
        new Promise((resolve) => finish.push(() => resolve(RemotingCommand.response(signal.aborted ? 1 : 0)))),
    });
    core.requests.processorTable.register(2, { processRequest: () => new Promise(() => {}) });
    channel.writeInbound(request(2, 1, within(250)));
    expect(clock.pendingTimers).to.equal(0);
    channel.writeInbound(request(1, 2, within(250)));
    expect(clock.pendingTimers).to.equal(1);
    for (const end of finish) end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(answer(channel)?.code).to.equal(0);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('keeps a request that has expired from being carried out: on arrival, and in a queue', async () => {
    const { core, channel, clock } = setUp();
    const queue = new WorkQueue({ clock, concurrency: 1 });
    let finish = (): void => {};
    const asked: number[] = [];
    core.requests.processorTable.register(
      1,
      {
        processRequest: (_ctx, { opaque }) => {
          asked.push(opaque);
          return new Promise((resolve) => {
            finish = () => resolve(RemotingCommand.response(0));
          });
        },
      },
      queue,
    );
    channel.writeInbound(request(1, 1, within(0)), request(1, 2), request(1, 3, within(250)));
    clock.advance(251);
    finish();
    await core.requests.whenIdle();
    expect(asked).to.deep.equal([2]);
    expect(core.counters.expired).to.equal(2);
    expect([answer(channel)?.opaque, answer(channel)]).to.deep.equal([2, undefined]);
    expect([queue.running, queue.size]).to.deep.equal([0, 0]);
  });

  it('logs a processor that gives up at its signal at debug', async () => {
    const levels: string[] = [];
    const log =
      (level: string) =>
      (_fields: object, _message: string): void =>
        void levels.push(level);
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const { core, channel, clock } = setUp({ logger });
    core.requests.processorTable.register(1, {
      processRequest: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    channel.writeInbound(request(1, 1, within(250)));
    // The clock of the core is the fixture's.
    clock.advance(250);
    await core.requests.whenIdle();
    expect(levels).to.deep.equal(['debug']);
  });

  it('is no hindrance to a processor that does not look at it', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo);
    channel.writeInbound(request(1, 1, within(250)));
    expect(answer(channel)?.code).to.equal(0);
  });
});
