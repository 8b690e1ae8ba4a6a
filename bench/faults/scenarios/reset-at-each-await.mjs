import { millisText } from '../cells.mjs';
import { startFaultProxy } from '../fault-proxy.mjs';
import { pause } from '../room.mjs';

const BODY_BYTES = 64 * 1024;
const LIMIT_MILLIS = 6_000;
const RETRY_MILLIS = 5_000;

/** Where a call can stand when the connection is reset. */
const POINTS = {
  'being made': async ({ client, proxy, options }) => {
    proxy.refuse(true);
    const { millis, error } = await client.ask('connectAndCall', { ...options, limitMillis: LIMIT_MILLIS });
    proxy.refuse(false);
    return { ended: error?.startsWith('nothing within') ? undefined : millis, error };
  },
  'request half sent': (context) =>
    resetDuring(context, 'echo', () => context.proxy.limit('up', BODY_BYTES / 2, 'reset')),
  'waiting for the answer': (context) =>
    resetDuring(context, 'never', async () => {
      await pause(200);
      context.proxy.reset();
    }),
  'answer half read': (context) =>
    resetDuring(context, 'echo', () => context.proxy.limit('down', BODY_BYTES / 2, 'reset')),
  'between calls': async ({ client, proxy, options }) => {
    await client.ask('connect', options);
    proxy.reset();
    await pause(100);
    return { ended: 0 };
  },
};

export const resetAtEachAwait = {
  title: 'connection reset at each point where a call waits',
  columns: ['calls ended', 'last of them after', 'calls again', 'uncaught errors in the client'],
  async run({ client, port }) {
    const found = {};
    for (const [point, provoke] of Object.entries(POINTS)) {
      const proxy = await startFaultProxy(port);
      try {
        const options = { key: point, port: proxy.port, brisk: true };
        const outcome = await provoke({ client, proxy, options });
        const retried = await client.ask('retry', { ...options, limitMillis: RETRY_MILLIS });
        found[point] = { ...outcome, retriedMillis: retried.millis };
      } catch (error) {
        found[point] = { error: error.message };
      } finally {
        proxy.close();
      }
    }
    const uncaught = await client.ask('uncaught');
    return { figures: { points: found, uncaught }, cells: cellsOf(found, uncaught) };
  },
};

/** The limit is set when the connection stands, so that it counts bytes of the call alone. */
async function resetDuring({ client, proxy, options }, method, reset) {
  await client.ask('connect', options);
  const { key } = options;
  if (method === 'echo') await reset();
  await client.ask('start', { key, method, bytes: BODY_BYTES, count: 1 });
  if (method !== 'echo') await reset();
  const { ended } = await client.ask('ended', { key, limitMillis: LIMIT_MILLIS });
  const since = proxy.limitReachedAt();
  const [end] = ended;
  // Answers that come over another connection.
  if (since === undefined && end !== undefined) return { wasReached: false };
  return {
    ended: end === undefined || since === undefined ? undefined : Math.max(0, end.at - since),
    error: end?.error,
  };
}

function cellsOf(found, uncaught) {
  const points = Object.entries(found).filter(([, { wasReached }]) => wasReached !== false);
  const ended = points.filter(([, { ended }]) => ended !== undefined);
  const never = points.filter(([, { ended }]) => ended === undefined).map(([point]) => point);
  const again = points.filter(([, { retriedMillis }]) => retriedMillis !== undefined);
  return [
    never.length === 0
      ? `${ended.length} of ${points.length}`
      : `${ended.length} of ${points.length}; not: ${never.join(', ')}`,
    ended.length === 0 ? '-' : millisText(Math.max(...ended.map(([, { ended }]) => ended))),
    again.length === 0
      ? 'never'
      : `${again.length} of ${points.length}, within ${millisText(Math.max(...again.map(([, { retriedMillis }]) => retriedMillis)))}`,
    uncaught.length === 0 ? 'none' : `${uncaught.length}: ${uncaught[0].slice(0, 60)}`,
  ];
}
