import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createExtFields, RemotingClient, RemotingCommand } from '../../src/index.js';
import { ServerProcess } from './server-process.js';
import { askedFor } from './soak-codes.js';
import type { SoakScenario } from './soak-report.js';

const HOSTILE_PEERS = 1_000;
const GOOD_CLIENTS = 8;
const CALLS_PER_SECOND = 400;
const QUIET_SECONDS = 10;
const SAMPLE_MILLIS = 250;
const MIB = 1 << 20;
const RSS_BOUND = 1.1;
const LATENCY_BOUND = 2;

/** How long the server bears each kind at most, with some time for it to be seen; slow ones, whose bytes come, for as long as a frame may take. */
const CLOSED_AFTER_SECONDS = { announces2GiB: 5, noise: 5, neverReads: 40, neverFinishes: 70, byteByByte: 70 };

interface State {
  readonly rssMiB: number;
  readonly heldMiB: number;
  readonly channels: number;
}

/**
 * A server with a heap of 128 MiB among a thousand hostile peers of five kinds, with good clients before, meanwhile and after.
 */
export const runHostile: SoakScenario = async (number) => {
  const seconds = number('seconds', 60);
  const server = await ServerProcess.start({
    execArgv: ['--max-old-space-size=128', '--expose-gc'],
    // As docs/serving.md says: else glibc keeps what frames took.
    env: { MALLOC_MMAP_THRESHOLD_: '65536' },
  });
  const clients = Array.from({ length: GOOD_CLIENTS }, () => new RemotingClient());
  const asking = new RemotingClient({ timeoutMillis: 20_000 });
  const state = (gc: boolean): Promise<State> => askState(asking, server.address, gc);
  const faults: string[] = [];

  await serveGood(clients, server.address, QUIET_SECONDS);
  const before = await state(true);
  const quiet = await serveGood(clients, server.address, QUIET_SECONDS);

  const module = fileURLToPath(new URL('hostile-process.js', import.meta.url));
  const hostile = fork(module, [server.address, String(HOSTILE_PEERS)]);
  await once(hostile, 'message');
  // Those that the system has taken are the server's a moment later.
  let most = await state(false);
  for (let looks = 0; most.channels < HOSTILE_PEERS && looks < 1_000; looks++) most = await state(false);
  hostile.send('act');
  const sampling = setInterval(async () => {
    const now = await state(false).catch(() => most);
    most = {
      rssMiB: Math.max(most.rssMiB, now.rssMiB),
      heldMiB: Math.max(most.heldMiB, now.heldMiB),
      channels: Math.max(most.channels, now.channels),
    };
  }, SAMPLE_MILLIS);
  const during = await serveGood(clients, server.address, seconds);
  clearInterval(sampling);
  hostile.send('leave');
  const [closedByServer] = (await once(hostile, 'message')) as [Record<string, number>];
  await once(hostile, 'exit');

  // Collected once, as it would be in time: V8 gives the pages of its heap back some seconds after.
  await state(true);
  const later = await serveGood(clients, server.address, QUIET_SECONDS);
  const after = await state(true);
  const isAlive = server.isRunning;
  await Promise.all([...clients, asking].map((client) => client.destroy()));
  await server.kill();

  if (!isAlive) faults.push('the server has ended');
  for (const [when, { failed }] of Object.entries({ quiet, during, later }))
    if (failed > 0) faults.push(`${failed} calls of good clients failed (${when})`);
  if (most.channels < HOSTILE_PEERS) faults.push(`only ${most.channels} connections were there at once`);
  for (const [kind, afterSeconds] of Object.entries(CLOSED_AFTER_SECONDS))
    if (seconds > afterSeconds && closedByServer[kind] === 0) faults.push(`no connection of kind ${kind} was closed`);
  if (!(during.p99Millis < LATENCY_BOUND * quiet.p99Millis))
    faults.push(`p99 of good clients rose from ${quiet.p99Millis} to ${during.p99Millis} ms`);
  if (!(after.rssMiB <= RSS_BOUND * before.rssMiB))
    faults.push(`RSS was ${before.rssMiB} MiB before and ${after.rssMiB} after`);
  if (after.channels > GOOD_CLIENTS + 1) faults.push(`${after.channels} connections are kept`);
  return {
    figures: { hostilePeers: HOSTILE_PEERS, seconds, before, most, after, closedByServer, quiet, during, later },
    faults,
  };
};

async function askState(client: RemotingClient, address: string, gc: boolean): Promise<State> {
  const request = RemotingCommand.request(askedFor.state, { extFields: createExtFields({ gc: String(gc) }) });
  const { extFields } = await client.invokeSync(address, request);
  const mib = (name: string): number => Math.round((10 * Number(extFields?.[name])) / MIB) / 10;
  return { rssMiB: mib('rss'), heldMiB: mib('held'), channels: Number(extFields?.['channels']) };
}

interface Served {
  readonly answered: number;
  readonly failed: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
}

/** Calls at a rate that does not wait for answers; latency counts from when a call was due. */
async function serveGood(clients: readonly RemotingClient[], address: string, seconds: number): Promise<Served> {
  const latencies: number[] = [];
  const body = Buffer.alloc(1_024, 'x');
  const calls: Promise<void>[] = [];
  let failed = 0;
  const began = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - began >= seconds * 1_000) {
        clearInterval(timer);
        resolve();
        return;
      }
      for (
        let dueAt = began + (calls.length * 1_000) / CALLS_PER_SECOND;
        dueAt <= now;
        dueAt += 1_000 / CALLS_PER_SECOND
      ) {
        const client = clients[calls.length % clients.length] as RemotingClient;
        const call = client.invokeSync(address, RemotingCommand.request(askedFor.echo, { body })).then(
          (answer) => {
            if (!body.equals(answer.body ?? Buffer.alloc(0))) failed++;
            latencies.push(performance.now() - dueAt);
          },
          () => {
            failed++;
          },
        );
        calls.push(call);
      }
    }, 1);
  });
  await Promise.all(calls);
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number =>
    Math.round(100 * (latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN)) / 100;
  return { answered: latencies.length, failed, p50Millis: percentile(0.5), p99Millis: percentile(0.99) };
}
