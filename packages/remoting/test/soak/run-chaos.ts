import type { LookupFunction } from 'node:net';
import { systemClock } from '../../src/clock.js';
import { parseSocketAddress, RemotingClient, RemotingCommand, RemotingError } from '../../src/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { ChaosJudge } from './chaos-judge.js';
import { ServerProcess } from './server-process.js';
import { askedFor } from './soak-codes.js';
import { type SoakScenario, say } from './soak-report.js';

const CLIENTS = 20;
const FAULT_EVERY_MILLIS = 24_000;
const CALL_EVERY_MILLIS = 250;
const HOSTS = ['127.0.0.1', '127.0.0.2'];
/** Of the calls that are judged; long, for a machine that is busy with something else. */
const PATIENCE_MILLIS = 10_000;

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/**
 * Twenty clients call server processes behind one name, which are killed and started again, stopped and continued, lose their connections,
 * or get another address.
 */
export const runChaos: SoakScenario = async (number) => {
  const minutes = number('minutes', 10);
  const seed = number('seed', 1);
  const random = new SeededRandom(seed);
  const first = await ServerProcess.start({ host: HOSTS[0] });
  const { port } = parseSocketAddress(first.address);
  const servers = [first, await ServerProcess.start({ host: HOSTS[1], port })];
  const address = `mq.test:${port}`;
  let named = 0;
  const lookup: LookupFunction = (_name, { all }, callback) => {
    const host = HOSTS[named] as string;
    if (all === true) callback(null, [{ address: host, family: 4 }]);
    else callback(null, host, 4);
  };
  const judge = new ChaosJudge(systemClock, 10);
  const clients = Array.from({ length: CLIENTS }, () => {
    const client = new RemotingClient({
      lookup,
      resolveIntervalMillis: 1_000,
      heartbeatMillis: 1_000,
      timeoutMillis: 2_000,
    });
    judge.watch(client);
    return client;
  });
  const background = { answered: 0, failed: 0 };
  const calling = setInterval(() => {
    for (const client of clients)
      client.invokeSync(address, RemotingCommand.request(askedFor.echo)).then(
        () => background.answered++,
        () => background.failed++,
      );
  }, CALL_EVERY_MILLIS);

  const current = (): ServerProcess => servers[named] as ServerProcess;
  const provoke: Readonly<Record<string, (millis: number) => Promise<void>>> = {
    async kill(millis) {
      await current().kill();
      await pause(millis);
      servers[named] = await ServerProcess.start({ host: HOSTS[named], port });
    },
    async freeze(millis) {
      current().stop();
      await pause(millis);
      current().continue();
    },
    async reset() {
      current().reset();
      await pause(100);
    },
    async 'change of the name'() {
      named = 1 - named;
      // Twice as long as it takes a client to see it.
      await pause(2_000);
    },
  };
  const kinds = Object.keys(provoke);
  const happened: Record<string, number> = {};
  await pause(2_000);
  const end = performance.now() + minutes * 60_000;
  for (let n = 0; performance.now() < end; n++) {
    const kind = kinds[n % kinds.length] as string;
    const began = performance.now();
    const failuresBefore = background.failed;
    await provoke[kind]?.(random.integer(1_000, 8_000));
    await pause(Math.max(...clients.map((client) => ChaosJudge.waitMillis(client))));
    await Promise.all(
      clients.map(async (client) => {
        try {
          await client.invokeSync(address, RemotingCommand.request(askedFor.echo), PATIENCE_MILLIS);
        } catch (error) {
          judge.faults.push(
            `first call after ${kind} ${n}: ${RemotingError.is(error) ? error.message : String(error)}`,
          );
        }
      }),
    );
    happened[kind] = (happened[kind] ?? 0) + 1;
    say(`chaos: ${kind} ${n}: over; ${background.failed - failuresBefore} calls failed meanwhile`);
    await pause(Math.max(0, began + FAULT_EVERY_MILLIS - performance.now()));
    judge.checkConnections(clients, `${kind} ${n}`);
  }
  clearInterval(calling);
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.kill()));
  const { mostDialsAMinute, dials, faults } = judge;
  return { figures: { seed, minutes, clients: CLIENTS, happened, background, dials, mostDialsAMinute }, faults };
};
