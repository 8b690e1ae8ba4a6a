import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { type ChaosSocket, chaos, createMemorySockets, ManualClock } from '../../src/testing.js';
import { ChaosJudge } from '../soak/chaos-judge.js';

const CLIENTS = 20;
const FAULTS = 25;
const FAULT_EVERY_MILLIS = 24_000;
const STEP_MILLIS = 500;
const ADDRESS = 'mq.test:9876';

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A machine in memory: its server may be killed and started, and the machine frozen, which takes connections all the same. */
class Host {
  readonly #clock: ManualClock;
  readonly #sockets = new Set<ChaosSocket>();
  #server: RemotingServer | undefined;
  #isFrozen = false;

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.start();
  }

  start(): void {
    this.#server = new RemotingServer({ clock: this.#clock });
    this.#server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
  }

  async kill(): Promise<void> {
    await this.#server?.destroy();
    this.#server = undefined;
  }

  async retire(): Promise<void> {
    const closed = this.#server?.close({ goAwayMillis: 3_000 });
    this.#clock.advance(3_000);
    await closed;
    this.start();
  }

  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    for (const socket of this.#sockets)
      if (isFrozen) socket.freeze();
      else socket.thaw();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.reset();
  }

  connect(seed: number): ChaosSocket {
    if (this.#server === undefined) throw new Error('connect ECONNREFUSED');
    const [near, far] = createMemorySockets();
    this.#server.accept(far);
    const socket = chaos(near, { seed, clock: this.#clock });
    if (this.#isFrozen) socket.freeze();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

// The same with processes and sockets, for minutes: npm run soak -- chaos
describe('Ten minutes of faults under twenty clients', function () {
  this.timeout(60_000);

  it('are over for each with the first call one backoff later; no client dials more than ten times a minute', async () => {
    const clock = new ManualClock();
    const random = new SeededRandom(4);
    const hosts = [new Host(clock), new Host(clock)];
    let named = 0;
    const host = (): Host => hosts[named % hosts.length] as Host;
    const judge = new ChaosJudge(clock, 10);
    const clients = Array.from({ length: CLIENTS }, (_, i) => {
      const client = new RemotingClient({
        clock,
        version: 476,
        heartbeatMillis: 1_000,
        heartbeatMisses: 3,
        createConnection: () => host().connect(i),
      });
      judge.watch(client);
      return client;
    });
    let failed = 0;
    /** Lets time pass under calls, which may fail while something is wrong. */
    const pass = async (millis: number): Promise<void> => {
      for (let passed = 0; passed < millis; passed += STEP_MILLIS) {
        for (const client of clients)
          client.invokeSync(ADDRESS, RemotingCommand.request(1), 1_000).catch(() => failed++);
        await turns(4);
        clock.advance(Math.min(STEP_MILLIS, millis - passed));
        await turns(4);
      }
    };
    const provoke: Record<string, (millis: number) => Promise<void>> = {
      async kill(millis) {
        await host().kill();
        await pass(millis);
        host().start();
      },
      async freeze(millis) {
        host().freeze(true);
        await pass(2 * millis);
        host().freeze(false);
      },
      async reset() {
        host().reset();
        await turns(4);
      },
      async 'change of the name'() {
        const old = host();
        named++;
        await old.retire();
      },
    };
    const kinds = Object.keys(provoke);
    await pass(2_000);
    for (let n = 0; n < FAULTS; n++) {
      const kind = kinds[n % kinds.length] as string;
      const began = clock.monotonic();
      await provoke[kind]?.(random.integer(1, 8) * 1_000);
      await pass(Math.max(...clients.map((client) => ChaosJudge.waitMillis(client))));
      const calls = clients.map((client) => client.invokeSync(ADDRESS, RemotingCommand.request(1), 3_000));
      await turns(12);
      clock.advance(1);
      for (const call of calls) expect((await call).code, `after ${kind}`).to.equal(0);
      await pass(Math.max(0, began + FAULT_EVERY_MILLIS - clock.monotonic()));
      judge.checkConnections(clients, kind);
    }
    expect(judge.faults).to.deep.equal([]);
    // The faults were felt, and the clients came back each time.
    expect(failed).to.be.above(CLIENTS * FAULTS);
    expect(judge.dials).to.be.above(CLIENTS * FAULTS);
    await Promise.all(clients.map((client) => client.destroy()));
    for (const each of hosts) await each.kill();
    await turns(4);
    expect(clock.pendingTimers).to.equal(0);
  });
});
