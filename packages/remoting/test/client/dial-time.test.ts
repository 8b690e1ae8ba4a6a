import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import type { RemotingError } from '../../src/errors.js';
import { createPair, ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

/** Sockets of this process that are open or being opened. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => /^(TCP|Pipe)(Socket|Connect)?Wrap$/.test(kind)).length;
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: RemotingError) => error,
  );

describe('The time of a dial', () => {
  it('leaves no socket behind when it is up: a thousand dials that got a socket and no connection (W41)', async function () {
    this.timeout(30_000);
    const silent = await rawServer((socket) => socket.resume());
    const clock = new ManualClock();
    const client = new RemotingClient({
      clock,
      connectTimeoutMillis: 100,
      socksProxy: { '0.0.0.0/0': { addr: silent.address } },
    });
    try {
      const before = sockets();
      for (let batch = 0; batch < 10; batch++) {
        const dials = Array.from({ length: 100 }, (_, i) => failure(client.connect(`10.0.${batch}.${i}:1`)));
        await until(() => silent.sockets.size === 100);
        clock.advance(100);
        for (const { code } of await Promise.all(dials)) expect(code).to.equal('CONNECT_FAILED');
        await until(() => silent.sockets.size === 0);
      }
      await until(() => sockets() <= before);
      expect([silent.connections, clock.pendingTimers]).to.deep.equal([1_000, 0]);
    } finally {
      await client.destroy();
      await silent.close();
    }
  });

  it('is one thing and that of an idle connection another: neither runs in the place of the other (W16)', async () => {
    const clock = new ManualClock();
    const idle: string[] = [];
    const dialling = new RemotingClient({
      clock,
      allIdleMillis: 100,
      connectTimeoutMillis: 10_000,
      createConnection: () => new Promise(() => {}),
    });
    dialling.on('idle', () => idle.push('while it dials'));
    let isOver = false;
    const dialled = failure(dialling.connect('a:1', { timeoutMillis: 60_000 })).finally(() => {
      isOver = true;
    });
    await clock.advanceAsync(9_999);
    expect([isOver, idle]).to.deep.equal([false, []]);
    clock.advance(1);
    expect((await dialled).message).to.contain('no connection within 10000 ms');
    await dialling.close();

    const pair = createPair({ clock, client: { connectTimeoutMillis: 100, allIdleMillis: 10_000 } });
    pair.client.on('idle', () => idle.push('after its time'));
    const channel = await pair.client.connect(pair.address);
    await clock.advanceAsync(9_999);
    expect([channel.isActive, idle]).to.deep.equal([true, []]);
    clock.advance(1);
    expect(idle).to.deep.equal(['after its time']);
    await channel.closed;
    await pair.destroy();
  });
});
