import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { createPair, expectNoLeaks, ManualClock, replay, startTestServer } from '../../src/testing.js';

const request = RemotingCommand.request(1);
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: RemotingError) => error,
  );
const never = (): Promise<never> => new Promise(() => {});
const reason = new Error('enough');

describe('A signal', () => {
  it('ends the start of a server, which listens nowhere then', async () => {
    await expectNoLeaks(async () => {
      for (const at of ['before', 'during'] as const) {
        const server = new RemotingServer();
        const controller = new AbortController();
        if (at === 'before') controller.abort(reason);
        const started = failure(server.start({ signal: controller.signal }));
        controller.abort(reason);
        const error = await started;
        expect(error).to.deep.include({ code: 'ABORTED', cause: reason });
        expect(error.message).to.equal('the start of the server was aborted by its signal');
        await server.close();
        expect([at, server.describe().state]).to.deep.equal([at, 'closing']);
      }
      const controller = new AbortController();
      await using test = await startTestServer({ signal: controller.signal });
      controller.abort();
      expect(await test.client.isAddressReachable(test.address)).to.equal(true);
    });
  });

  it('ends a call in the turn in which it aborts; the answer that comes later is counted and given to nobody (W3)', async () => {
    await using pair = createPair();
    let answer = (): void => {};
    pair.server.registerDefaultProcessor({
      processRequest: () =>
        new Promise((resolve) => {
          answer = () => resolve(RemotingCommand.response(0));
        }),
    });
    const controller = new AbortController();
    let told = 0;
    const call = pair.client.invokeSync(pair.address, request, 60_000, { signal: controller.signal });
    void call.catch(() => told++);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (pair.server.describe().requestsInFlight < 1) await turn();
    let isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
    });
    controller.abort(reason);
    expect(await failure(call)).to.deep.include({ code: 'ABORTED', cause: reason });
    expect(isNextTurn).to.equal(false);
    answer();
    while (pair.client.counters.lateResponses < 1) await turn();
    expect([told, pair.client.describe().callsInFlight]).to.deep.equal([1, 0]);
  });

  it('ends the grace of a close: what is under way is cut off, and reported', async () => {
    for (const at of ['before', 'during', 'later'] as const) {
      for (const side of ['server', 'client'] as const) {
        const clock = new ManualClock();
        await using pair = createPair({ clock });
        pair.server.registerDefaultProcessor({ processRequest: never });
        const call = failure(pair.client.invokeSync(pair.address, request, 60_000));
        while (pair.server.describe().requestsInFlight < 1) await new Promise((resolve) => setImmediate(resolve));
        const controller = new AbortController();
        const { signal } = controller;
        if (at === 'before') controller.abort();
        const closed = at === 'later' ? pair[side].close() : pair[side].close({ graceMillis: 30_000, signal });
        // Each caller's signal counts.
        if (at === 'later') void pair[side].close({ signal });
        controller.abort();
        expect([at, side, await closed]).to.deep.equal([at, side, { finished: 0, cut: 1 }]);
        expect((await call).code).to.equal(side === 'client' ? 'CLOSED' : 'CONNECTION_CLOSED');
      }
    }
  });

  it('is no more listened to once a close is done', async () => {
    const pair = createPair();
    let listeners = 0;
    const signal = Object.assign(new AbortController().signal, {
      addEventListener: () => listeners++,
      removeEventListener: () => listeners--,
    });
    await Promise.all([pair.client.close({ signal }), pair.server.close({ signal })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(listeners).to.equal(0);
  });

  it('ends the wait for a name server list, and the lookup goes on for others', async () => {
    await using client = new RemotingClient();
    let give = (_: string[]): void => {};
    let lookups = 0;
    const source = (): Promise<string[]> => {
      lookups++;
      return new Promise((resolve) => {
        give = resolve;
      });
    };
    const controller = new AbortController();
    const waits = client.refreshNameServerAddressList(source);
    const { signal } = controller;
    const aborted = failure(client.refreshNameServerAddressList(source, { signal }));
    controller.abort(reason);
    expect(await aborted).to.deep.include({ code: 'ABORTED', cause: reason });
    expect(await failure(client.refreshNameServerAddressList(source, { signal }))).to.have.property('code', 'ABORTED');
    give(['a:1']);
    await waits;
    await new Promise((resolve) => setImmediate(resolve));
    expect([client.nameServerAddressList, lookups]).to.deep.equal([['a:1'], 2]);
    give(['b:1']);
  });

  it('ends a replay, and its connections', async () => {
    await using pair = createPair();
    pair.server.registerDefaultProcessor({ processRequest: never });
    const controller = new AbortController();
    const asked = Buffer.concat(encodeFrame(RemotingCommand.request(1, { opaque: 1 })));
    const answered = Buffer.concat(encodeFrame(RemotingCommand.response(0, undefined, { opaque: 1 })));
    const replayed = failure(
      replay(
        [
          { channelId: 1, from: 'client', atMillis: 0, bytes: asked },
          { channelId: 1, from: 'server', atMillis: 1, bytes: answered },
        ],
        () => pair.connect(),
        { signal: controller.signal },
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await replayed).to.deep.include({ code: 'ABORTED', cause: reason });
    while (pair.server.channels.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('must be one', async () => {
    const controller = new AbortController() as never;
    const server = new RemotingServer();
    const client = new RemotingClient();
    const message =
      'signal must be an AbortSignal, such as that of an AbortController, not an object (AbortController)';
    for (const side of [server, client]) expect(() => side.close({ signal: controller })).to.throw(message);
    expect((await failure(server.start({ signal: controller }))).message).to.equal(message);
    const refreshed = client.refreshNameServerAddressList(async () => ['a:1'], { signal: controller });
    expect((await failure(refreshed)).message).to.equal(message);
    for (const graceMillis of [-1, Number.NaN, '5' as never])
      expect(() => client.close({ graceMillis })).to.throw('graceMillis must be an integer from 0 to');
    await client.close();
    await server.close();
  });
});
