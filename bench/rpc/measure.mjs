import { fileURLToPath } from 'node:url';
import { startChild } from '../harness/pinned-child.mjs';
import { LOADS, parseShape } from './loads.mjs';

const serverModule = fileURLToPath(new URL('server-process.mjs', import.meta.url));
const clientModule = fileURLToPath(new URL('client-process.mjs', import.meta.url));

/** How long calls under way may take when the time is up. */
const DRAIN_MILLIS = 20_000;
/** No call of a load is to end by a timeout that its peer has by default. */
const TIMEOUT_MILLIS = 60_000;
const CONNECT_MILLIS = 60_000;

/**
 * Measures one peer under one load, in fresh processes, shape after shape. A failure ends what is left of it and is part of the result.
 *
 * @returns {Promise<object[]>} a sample for each shape: figures, or `error`
 */
export async function measure({ peer, loadName, shapes, tls, options }) {
  const load = LOADS[loadName];
  const settings = { large: load.large ?? false, ...(load.tls ? { tls } : {}) };
  const server = startChild({
    module: serverModule,
    args: [peer.name, JSON.stringify(settings)],
    core: options.serverCore,
    name: `the server of ${peer.name}`,
  });
  let client;
  const samples = [];
  try {
    const { port } = await server.ask('listen');
    client = startChild({
      module: clientModule,
      args: [peer.name, JSON.stringify({ ...settings, port, timeoutMillis: TIMEOUT_MILLIS })],
      core: options.clientCore,
      name: `the client of ${peer.name}`,
    });
    for (const shape of shapes) {
      const measured = { idle: measureIdle, open: measureOpen }[load.kind] ?? measureCalls;
      samples.push({
        shape,
        ...(await measured({ server, client, load, loadName, shape, options, isFirst: shape === shapes[0] })),
      });
    }
  } catch (error) {
    while (samples.length < shapes.length) samples.push({ shape: shapes[samples.length], error: error.message });
  } finally {
    await Promise.all([client?.end(), server.end()]);
  }
  return samples;
}

async function measureCalls({ server, client, load, loadName, shape, options, isFirst }) {
  const { connections, inFlight } = parseShape(shape);
  const { seconds, warmupSeconds, warmupCalls } = options;
  const run = (details) =>
    client.ask('run', { load: loadName, inFlight, ...details }, details.maxSeconds * 1000 + DRAIN_MILLIS);
  await client.ask('connect', { count: connections }, CONNECT_MILLIS);
  const warmup = {
    seconds: warmupSeconds,
    // What comes after the first shape finds the code warm.
    calls: isFirst && load.kind === 'calls' ? warmupCalls : 0,
    maxSeconds: 3 * warmupSeconds,
  };
  if (warmupSeconds > 0) await run(warmup);

  const before = await server.ask('begin');
  const client_ = await run({ seconds, maxSeconds: seconds });
  const after = await server.ask('end');
  const { calls, latencyMicros } = client_;
  const arrived = after.received - before.received;
  if (load.kind === 'oneway' && arrived !== calls)
    throw new Error(`${calls} oneway requests were sent, ${arrived} came`);
  return {
    calls,
    others: client_.others,
    requestsPerSecond: calls / client_.seconds,
    serverMicros: (after.cpuMicros - before.cpuMicros) / calls,
    clientMicros: client_.cpuMicros / calls,
    p50Micros: latencyMicros.p50,
    p99Micros: latencyMicros.p99,
    p999Micros: latencyMicros.p999,
    rssMiB: after.rssBytes / 2 ** 20,
    delayP99Millis: after.delayP99Millis,
  };
}

/** First as fast as it goes at the shape, then at a share of that. */
async function measureOpen({ server, client, load, loadName, shape, options, isFirst }) {
  const closed = { ...load, kind: 'calls' };
  const most = await measureCalls({ server, client, load: closed, loadName, shape, options, isFirst });
  const perSecond = load.share * most.requestsPerSecond;
  const { seconds } = options;
  const before = await server.ask('begin');
  const run = await client.ask('runOpen', { load: loadName, perSecond, seconds }, seconds * 1000 + DRAIN_MILLIS);
  const after = await server.ask('end');
  return {
    calls: run.calls,
    requestsPerSecond: perSecond,
    serverMicros: (after.cpuMicros - before.cpuMicros) / run.calls,
    p50Micros: run.latencyMicros.p50,
    p99Micros: run.latencyMicros.p99,
    p999Micros: run.latencyMicros.p999,
    rssMiB: after.rssBytes / 2 ** 20,
    delayP99Millis: after.delayP99Millis,
  };
}

async function measureIdle({ server, client, loadName, shape }) {
  const { connections } = parseShape(shape);
  await client.ask('connect', { count: 1 }, CONNECT_MILLIS);
  await client.ask('touch', { load: loadName });
  const before = await server.ask('collected');
  await client.ask('connect', { count: connections }, CONNECT_MILLIS);
  await client.ask('touch', { load: loadName }, CONNECT_MILLIS);
  const after = await server.ask('collected');
  return {
    calls: connections,
    rssMiB: after.rssBytes / 2 ** 20,
    kibPerConnection: (after.rssBytes - before.rssBytes) / 1024 / (connections - 1),
  };
}
