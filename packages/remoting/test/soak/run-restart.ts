import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseSocketAddress, RemotingClient, RemotingCommand, RemotingError } from '../../src/index.js';
import { ServerProcess } from './server-process.js';
import { askedFor } from './soak-codes.js';
import type { SoakScenario } from './soak-report.js';

/** Long, so that a machine which is busy with something else fails no call. */
const TIMEOUT_MILLIS = 20_000;
const SERVERS = 3;
const CLIENTS = 6;
const CALLS_PER_SECOND = 2_000;
const EXIT_BOUND_MILLIS = 100;
/** How long each server serves between its start and the next one's close. */
const BETWEEN_MILLIS = 1_000;

/** Three server processes are closed and started again in turn, under calls at a rate that does not wait for answers. */
export const runRestart: SoakScenario = async (number) => {
  const rounds = number('count', 3);
  const servers: ServerProcess[] = [];
  for (let i = 0; i < SERVERS; i++) servers.push(await ServerProcess.start());
  const clients = Array.from(
    { length: CLIENTS },
    () => new RemotingClient({ version: 476, timeoutMillis: TIMEOUT_MILLIS }),
  );
  // Each begins with a server of its own, as balanced clients do.
  for (const [i, client] of clients.entries()) {
    const addresses = servers.map(({ address }) => address);
    client.updateNameServerAddressList([...addresses.slice(i % SERVERS), ...addresses.slice(0, i % SERVERS)]);
  }
  const failures: Record<string, number> = {};
  const servedBy = new Map<string, number>();
  let answered = 0;
  let slowestMillis = 0;
  let sent = 0;
  let pending = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const call = async (client: RemotingClient): Promise<void> => {
    const sentAt = performance.now();
    pending++;
    try {
      const { code, remark } = await client.invokeSync(undefined, RemotingCommand.request(askedFor.pid));
      if (code !== 0) throw new Error(`code ${code}`);
      answered++;
      servedBy.set(remark ?? '', (servedBy.get(remark ?? '') ?? 0) + 1);
      slowestMillis = Math.max(slowestMillis, performance.now() - sentAt);
    } catch (error) {
      const text = RemotingError.is(error) ? `${error.code}: ${error.message}` : String(error);
      failures[text] = (failures[text] ?? 0) + 1;
    } finally {
      pending--;
    }
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * CALLS_PER_SECOND) / 1_000;
    for (; sent < due; sent++) void call(clients[sent % CLIENTS] as RemotingClient);
  }, 2);
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, BETWEEN_MILLIS));
  const exits: number[] = [];
  const faults: string[] = [];
  for (let step = 0; step < rounds * SERVERS; step++) {
    await pause();
    const old = servers[step % SERVERS] as ServerProcess;
    const { cut, exitMillis, exitCode } = await old.close();
    exits.push(exitMillis);
    if (cut > 0) faults.push(`a close cut off ${cut} requests`);
    if (exitCode !== 0) faults.push(`a server ended with ${exitCode}`);
    servers[step % SERVERS] = await ServerProcess.start({ port: parseSocketAddress(old.address).port });
  }
  await pause();
  clearInterval(timer);
  delay.disable();
  const seconds = (performance.now() - began) / 1_000;
  while (pending > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.kill()));
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  if (failed > 0) faults.push(`${failed} calls failed: ${JSON.stringify(failures)}`);
  const slowestExit = Math.max(...exits);
  if (!(slowestExit < EXIT_BOUND_MILLIS)) faults.push(`a server took ${slowestExit} ms to end after its close`);
  const figures = {
    restarts: exits.length,
    callsPerSecond: Math.round(sent / seconds),
    answered,
    failed,
    loopDelayP99Millis: Math.round(delay.percentile(99) / 1e6),
    slowestCallMillis: Math.round(slowestMillis),
    exitMillis: exits.map((millis) => Math.round(millis)),
    processesThatServed: servedBy.size,
  };
  return { figures, faults };
};
