import { expect } from 'chai';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { createMemorySockets, ManualClock } from '../../src/testing.js';

const STEPS = 10_000;
const address = 'a:1';
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('A server that can be reached', () => {
  it(`is reached by the next call, in ${STEPS} random dials that succeed, fail or hang, closes and calls (W26)`, async function () {
    this.timeout(60_000);
    const random = new SeededRandom(Date.now());
    const clock = new ManualClock();
    const server = new RemotingServer({ clock });
    server.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0) });
    let mood: 'up' | 'down' | 'hangs' = 'up';
    const hanging: ((error: Error) => void)[] = [];
    const dial = (): ChannelSocket | Promise<ChannelSocket> => {
      if (mood === 'down') throw new Error('refused');
      if (mood === 'hangs') return new Promise((_, reject) => hanging.push(reject));
      const [near, far] = createMemorySockets();
      server.accept(far);
      return near;
    };
    const client = new RemotingClient({ clock, createConnection: dial, connectTimeoutMillis: 500, allIdleMillis: 0 });
    const ask = (): Promise<string> =>
      client.invokeSync(address, RemotingCommand.request(1), 3_000).then(
        () => 'answered',
        (error: RemotingError) => error.code,
      );
    const dropped: Promise<string>[] = [];
    let reached = 0;
    for (let step = 0; step < STEPS; step++) {
      const what = `step ${step} of seed ${random.seed}`;
      const choice = random.integer(0, 9);
      if (choice === 0) mood = 'down';
      else if (choice === 1) mood = 'hangs';
      else if (choice === 2) for (const channel of server.channels) channel.destroy();
      else if (choice === 3) client.channel(address)?.destroy();
      else if (choice === 4) await client.channel(address)?.close();
      else if (choice === 5) dropped.push(ask());
      else if (choice === 6) clock.advance(random.integer(0, 2_000));
      else {
        // Now it can be reached: what hung has ended, and the wait after failed dials is over.
        mood = 'up';
        await turns(2);
        if (client.describe().dialling.length > 0) clock.advance(500);
        await turns(2);
        clock.advance(client.describe().connectFailures[0]?.nextDialMillis ?? 0);
        expect(await ask(), what).to.equal('answered');
        reached++;
      }
    }
    expect(reached).to.be.above(STEPS / 5);
    clock.advance(3_000);
    for (const code of await Promise.all(dropped))
      expect(code).to.be.oneOf(['answered', 'CONNECT_FAILED', 'CONNECTION_CLOSED', 'TIMEOUT']);
    await client.close();
    await server.close();
    expect(clock.pendingTimers).to.equal(0);
  });
});
