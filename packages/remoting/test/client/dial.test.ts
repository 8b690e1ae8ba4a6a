import { createServer } from 'node:net';
import { expect } from 'chai';
import { dial } from '../../src/client/dial.js';
import type { RemotingError } from '../../src/errors.js';
import { ManualClock } from '../../src/testing.js';

/** Sockets of this process that are open or being opened. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => /^TCP(Socket|Connect)Wrap$/.test(kind)).length;

describe('dial', () => {
  const failure = (dialled: Promise<unknown>): Promise<RemotingError> =>
    dialled.then(
      () => expect.fail('it connected'),
      (error: RemotingError) => error,
    );

  it('leaves no socket and no timer behind when nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const clock = new ManualClock();
    const before = sockets();
    const error = await failure(dial({ host: '127.0.0.1', port }, 'a:1', 500, clock, new AbortController().signal));
    expect(error).to.deep.include({ code: 'CONNECT_FAILED', address: 'a:1' });
    while (sockets() > before) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives up at its timeout, and when it is aborted, and destroys the socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    const clock = new ManualClock();
    const controller = new AbortController();
    const before = sockets();
    const late = failure(dial({ host: '127.0.0.1', port }, 'a:1', 500, clock, controller.signal));
    clock.advance(500);
    expect((await late).message).to.equal('connect to a:1 failed: no connection within 500 ms');
    const aborted = failure(dial({ host: '127.0.0.1', port }, 'a:1', 500, clock, controller.signal));
    controller.abort();
    expect((await aborted).message).to.equal('connect to a:1 failed: the client was closed');
    await new Promise((resolve) => server.close(resolve));
    while (sockets() > before) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pendingTimers).to.equal(0);
  });
});
