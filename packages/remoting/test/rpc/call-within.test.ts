import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { ManualClock } from '../../src/manual-clock.js';
import type { CallParent } from '../../src/rpc/call-within.js';
import { DEADLINE_FIELD } from '../../src/rpc/request-deadline.js';
import { createPair, type TestPair } from '../../src/testing/test-pair.js';
import { until } from '../client/raw-server.js';

/** A server that keeps silent, and what it was asked. */
function silentPair(clock: ManualClock): TestPair & { asked: RemotingCommand[] } {
  const asked: RemotingCommand[] = [];
  const pair = createPair({ clock, client: { sendDeadline: true, closeSocketIfTimeout: false } });
  pair.server.registerDefaultProcessor({
    processRequest: (_ctx, request) => {
      asked.push(request);
      return new Promise(() => {});
    },
  });
  return Object.assign(pair, { asked });
}

const parent = (signal: AbortSignal, millis: number): CallParent => ({ signal, remainingMillis: () => millis });
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('the call succeeded'),
    (error: RemotingError) => error,
  );

describe('A call within a request', () => {
  for (const [title, own, left, expected] of [
    ['its own time where that is less', 200, 500, 200],
    ['what is left of the request where that is less', 3_000, 500, 500],
    ['its own time where the request has no end', 3_000, Number.POSITIVE_INFINITY, 3_000],
  ] as const) {
    it(`takes ${title}, and tells the next server so`, async () => {
      const clock = new ManualClock();
      await using pair = silentPair(clock);
      const within = parent(new AbortController().signal, left);
      const call = failure(pair.client.invokeSync(pair.address, RemotingCommand.request(1), own, { within }));
      await until(() => pair.asked.length === 1);
      expect(pair.asked[0]?.extFields?.[DEADLINE_FIELD]).to.equal(String(expected));
      clock.advance(expected - 1);
      expect(pair.client.describe().pendingCalls).to.deep.equal({ [pair.address]: 1 });
      clock.advance(1);
      expect((await call).code).to.equal('TIMEOUT');
    });
  }

  it('ends with its signal or its own, whichever is first, and leaves no listener behind', async () => {
    const clock = new ManualClock();
    await using pair = silentPair(clock);
    for (const ending of ['outer', 'own'] as const) {
      const controllers = { outer: new AbortController(), own: new AbortController() };
      const { outer, own } = controllers;
      const options = { within: parent(outer.signal, 1_000), signal: own.signal };
      const call = failure(pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000, options));
      controllers[ending].abort(new Error(ending));
      const error = await call;
      expect(error).to.deep.include({ code: 'ABORTED' });
      expect((error.cause as Error).message).to.equal(ending);
      for (const { signal } of [outer, own]) expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    }
  });

  it('of which the signal has ended already is not sent (W17)', async () => {
    await using pair = silentPair(new ManualClock());
    for (const signal of [undefined, new AbortController().signal]) {
      const within = parent(AbortSignal.abort(), 0);
      const error = await failure(
        pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000, { within, signal }),
      );
      expect(error).to.deep.include({ code: 'ABORTED', sent: 'no' });
    }
    expect(pair.client.describe().channels).to.deep.equal([]);
  });

  it('still says that a timeout of its own cannot be', async () => {
    await using pair = silentPair(new ManualClock());
    for (const timeoutMillis of [0, -1, Number.NaN]) {
      const within = parent(new AbortController().signal, 500);
      const call = pair.client.invokeSync(pair.address, RemotingCommand.request(1), timeoutMillis, { within });
      expect((await failure(call)).code).to.equal('INVALID_ARGUMENT');
    }
  });

  it('of a server that passes requests on ends when the first caller goes', async () => {
    const clock = new ManualClock();
    await using backend = silentPair(clock);
    await using front = createPair({ clock, server: { requestDeadlines: true }, client: { sendDeadline: true } });
    const ends: Promise<RemotingError>[] = [];
    front.server.registerDefaultProcessor({
      async processRequest(ctx, request) {
        const call = backend.client.invokeSync(backend.address, request, 3_000, { within: ctx });
        ends.push(failure(call));
        return await call;
      },
    });
    const call = failure(front.client.invokeSync(front.address, RemotingCommand.request(1), 400));
    await until(() => backend.asked.length === 1);
    expect(backend.asked[0]?.extFields?.[DEADLINE_FIELD]).to.equal('400');
    await front.client.destroy();
    expect((await call).code).to.equal('CLOSED');
    expect((await ends[0])?.code).to.equal('ABORTED');
  });
});
