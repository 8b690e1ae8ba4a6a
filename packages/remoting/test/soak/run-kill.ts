import { connect } from 'node:net';
import { parseSocketAddress, RemotingClient, RemotingCommand, RemotingError } from '../../src/index.js';
import { ServerProcess } from './server-process.js';
import { askedFor } from './soak-codes.js';
import type { SoakScenario } from './soak-report.js';

const CLIENTS = 10;
const CALLS_OF_EACH = 100;
const BOUND_MILLIS = 50;

/** A server process is killed while a thousand calls over ten connections wait for it: how long until the last of them has ended. */
export const runKill: SoakScenario = async (number) => {
  const rounds = number('count', 20);
  const faults: string[] = [];
  const millis: number[] = [];
  /** The same, but since the system told of the first connection, which a busy machine does late. */
  const ownMillis: number[] = [];
  /** What this process worked meanwhile, which no other can lengthen. */
  const cpuMillis: number[] = [];
  const endings: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    const server = await ServerProcess.start();
    const clients = Array.from({ length: CLIENTS }, () => new RemotingClient());
    let last = 0;
    let noticed = Number.POSITIVE_INFINITY;
    const bare = connect(parseSocketAddress(server.address)).on('error', () => {});
    bare.resume().once('close', () => {
      noticed = Math.min(noticed, performance.now());
    });
    const calls = clients.flatMap((client) =>
      Array.from({ length: CALLS_OF_EACH }, () =>
        client.invokeSync(server.address, RemotingCommand.request(askedFor.never), 60_000).catch((error: unknown) => {
          last = performance.now();
          noticed = Math.min(noticed, last);
          const ending = RemotingError.is(error) ? `${error.code}, sent: ${error.sent}` : String(error);
          endings[ending] = (endings[ending] ?? 0) + 1;
        }),
      ),
    );
    // An answer on each connection shows that the calls before it have come.
    await Promise.all(
      clients.map((client) => client.invokeSync(server.address, RemotingCommand.request(askedFor.echo), 60_000)),
    );
    const cpuBefore = process.cpuUsage();
    const killed = performance.now();
    await server.kill();
    await Promise.all(calls);
    millis.push(last - killed);
    ownMillis.push(last - noticed);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuMillis.push((user + system) / 1_000);
    for (const client of clients)
      if (Object.keys(client.describe().pendingCalls).length > 0) faults.push(`round ${round}: calls are left behind`);
    await Promise.all(clients.map((client) => client.destroy()));
  }
  const total = leastToMost(millis);
  const own = leastToMost(ownMillis);
  if (!(own.most <= BOUND_MILLIS))
    faults.push(`the last call ended ${own.most} ms after the first sign, not within ${BOUND_MILLIS}`);
  if (endings['CONNECTION_CLOSED, sent: maybe'] !== rounds * CLIENTS * CALLS_OF_EACH)
    faults.push('calls ended otherwise than with CONNECTION_CLOSED, sent: maybe');
  const callsOfEachRound = CLIENTS * CALLS_OF_EACH;
  return {
    figures: {
      rounds,
      callsOfEachRound,
      sinceKillMillis: total,
      sinceFirstSignMillis: own,
      cpuMillis: leastToMost(cpuMillis),
      endings,
    },
    faults,
  };
};

function leastToMost(values: readonly number[]): {
  readonly least: number;
  readonly median: number;
  readonly most: number;
} {
  const sorted = values.map((value) => Math.round(10 * value) / 10).sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return { least: at(0), median: at(sorted.length >> 1), most: at(sorted.length - 1) };
}
