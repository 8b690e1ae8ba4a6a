import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { createPair, ManualClock, type TestPair } from '../../src/testing.js';

const request = RemotingCommand.request(1);

/** What can end a connection or its owner. */
const ends: Readonly<Record<string, (pair: TestPair) => unknown>> = {
  'the close of the client': ({ client }) => client.close({ graceMillis: 100 }),
  'the end of the client': ({ client }) => client.destroy(),
  'the end of the server': ({ server }) => server.destroy(),
  'a reset by the server': ({ server }) => {
    for (const channel of server.channels) channel.destroy();
  },
  'a reset by the client': ({ client, address }) => client.channel(address)?.destroy(),
};

/** What is under way when it comes. */
const phases: Readonly<Record<string, (pair: TestPair, clock: ManualClock) => Promise<unknown> | undefined>> = {
  'a dial': () => undefined,
  'a probe': async ({ client, address }, clock) => {
    await client.connect(address);
    clock.advance(61_000);
  },
  'a close': async ({ client, address }) => {
    await client.connect(address);
    void client.close();
  },
};

/** Nine jobs and then a turn of the event loop, again and again: so each place where somebody awaits something is met. */
async function wait(steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    if (i % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
    else await undefined;
  }
}

describe('A connection that ends', () => {
  for (const [phase, begin] of Object.entries(phases)) {
    for (const [name, end] of Object.entries(ends)) {
      it(`by ${name} at any await of ${phase} ends the call, and no error is left to the process (W36)`, async function () {
        this.timeout(30_000);
        const codes = new Set<string>();
        for (let steps = 0; steps < 50; steps++) {
          const clock = new ManualClock();
          const pair = createPair({ clock, client: { verifyIdleMillis: 60_000 } });
          pair.server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
          await begin(pair, clock);
          const call = pair.client.invokeSync(pair.address, request, 3_000).then(
            () => 'answered',
            (error: RemotingError) => error.code,
          );
          await wait(steps);
          const ended = end(pair);
          await wait(30);
          clock.advance(3_000);
          codes.add(await call);
          await ended;
          await pair.destroy();
          expect(clock.pendingTimers, `after ${steps} steps`).to.equal(0);
        }
        for (const code of codes)
          expect(code).to.be.oneOf(['answered', 'CLOSED', 'CONNECTION_CLOSED', 'CONNECT_FAILED', 'TIMEOUT']);
      });
    }
  }
});
