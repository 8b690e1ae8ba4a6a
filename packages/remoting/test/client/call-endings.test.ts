import { expect } from 'chai';
import fc from 'fast-check';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { until } from './raw-server.js';

type Kind = 'sync' | 'async' | 'oneway' | 'tooLarge' | 'answer' | 'goAway' | 'tick' | 'abort' | 'reset' | 'down' | 'up';

interface Call {
  ended: number;
  readonly controller: AbortController;
}

/** A server that answers when told, may go away, and come back on its port. */
class MoodyServer {
  port = 0;
  #server: RemotingServer | undefined;
  readonly #waiting: ((response: RemotingCommand) => void)[] = [];

  async up(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = new RemotingServer({ port: this.port });
    server.registerDefaultProcessor({
      processRequest: () => new Promise((resolve) => this.#waiting.push(resolve)),
    });
    await server.start();
    this.port = Number(server.address.split(':')[1]);
    this.#server = server;
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.destroy();
  }

  answer(n: number, code: number): void {
    const [resolve] = this.#waiting.splice(n % Math.max(1, this.#waiting.length), 1);
    resolve?.(RemotingCommand.response(code));
  }

  reset(): void {
    for (const channel of this.#server?.channels ?? []) channel.destroy();
  }
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('Every call of a client', () => {
  it('ends exactly once, whatever happens in whatever order, and leaves no permit, entry, connection or timer behind', async function () {
    this.timeout(60_000);
    const kinds: Kind[] = [
      'sync',
      'sync',
      'async',
      'oneway',
      'tooLarge',
      'answer',
      'answer',
      'goAway',
      'tick',
      'abort',
      'reset',
      'down',
      'up',
    ];
    const step = fc.record({ kind: fc.constantFrom(...kinds), n: fc.nat({ max: 9 }) });
    const options = fc.record({
      waitForPermit: fc.boolean(),
      limitSyncCalls: fc.boolean(),
      eager: fc.boolean(),
      waitForReady: fc.boolean(),
      isIntercepted: fc.boolean(),
      end: fc.constantFrom('close' as const, 'destroy' as const),
    });
    const request = RemotingCommand.request(1);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), options, async (steps, chosen) => {
        const { waitForPermit, limitSyncCalls, eager, waitForReady, isIntercepted, end } = chosen;
        const clock = new ManualClock();
        const server = new MoodyServer();
        await server.up();
        const address = `127.0.0.1:${server.port}`;
        const limits = { asyncPermits: 3, onewayPermits: 2, maxFrameBytes: 1_000 };
        const client = new RemotingClient({ clock, waitForPermit, limitSyncCalls, eager, ...limits });
        if (isIntercepted) client.use(async (_, next) => await next());
        const calls: Call[] = [];
        const begin = (): Call => {
          const call = { ended: 0, controller: new AbortController() };
          calls.push(call);
          return call;
        };
        const track = (call: Call, promise: Promise<unknown>): void => {
          promise.then(
            () => call.ended++,
            (error: unknown) => {
              call.ended++;
              if (!RemotingError.is(error) || error.sent === undefined) calls.push({ ...call, ended: Number.NaN });
            },
          );
        };
        for (const { kind, n } of steps) {
          const timeoutMillis = 1 + n * 300;
          if (kind === 'sync' || kind === 'oneway' || kind === 'tooLarge') {
            const call = begin();
            const options = { signal: call.controller.signal, waitForReady };
            const big = RemotingCommand.request(1, { body: Buffer.alloc(2_000) });
            const sent = kind === 'tooLarge' ? big : request;
            if (kind === 'oneway') track(call, client.invokeOneway(address, sent, timeoutMillis, options));
            else track(call, client.invokeSync(address, sent, timeoutMillis, options));
          } else if (kind === 'async') {
            const call = begin();
            const options = { signal: call.controller.signal, waitForReady };
            client.invokeAsync(address, request, timeoutMillis, () => call.ended++, options);
          } else if (kind === 'answer') server.answer(n, 0);
          else if (kind === 'goAway') server.answer(n, 1500);
          else if (kind === 'tick') clock.advance(n * 100);
          else if (kind === 'abort') calls[n]?.controller.abort();
          else if (kind === 'reset') server.reset();
          else if (kind === 'down') await server.down();
          else await server.up();
          if (n % 2 === 0) await turns(3);
          for (const { ended } of calls) expect(ended).to.be.below(2);
        }
        const closed = client[end]();
        for (let i = 0; i < 4; i++) {
          clock.advance(1_000);
          await turns(2);
        }
        await closed;
        await server.down();
        await turns(2);
        expect(calls.map(({ ended }) => ended)).to.deep.equal(calls.map(() => 1));
        const { permits, pendingCalls, channels, dialling } = client.describe();
        expect([permits.async.free, permits.async.waiting, permits.oneway.free, permits.oneway.waiting]).to.deep.equal([
          3, 0, 2, 0,
        ]);
        expect([pendingCalls, channels, dialling]).to.deep.equal([{}, [], []]);
        await until(() => clock.pendingTimers === 0);
      }),
      { numRuns: 60 },
    );
  });
});
