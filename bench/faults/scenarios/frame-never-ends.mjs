import { millisText, watchCells, watchColumns } from '../cells.mjs';
import { startFaultProxy } from '../fault-proxy.mjs';
import { pause, underWatch } from '../room.mjs';

const CONNECTIONS = 16;
/** Below the smallest limit by default of all, which is 1 MiB. */
const BODY_BYTES = 900 * 1024;
const SENT_BYTES = 800 * 1024;
const WATCH_MILLIS = 10_000;

export const frameNeverEnds = {
  title: `${CONNECTIONS} connections that send ${SENT_BYTES / 1024} KiB of a frame of ${BODY_BYTES / 1024} KiB and no more`,
  columns: ['connections closed by the server', ...watchColumns],
  async run(room) {
    const { client, port } = room;
    const proxy = await startFaultProxy(port);
    try {
      for (let i = 0; i < CONNECTIONS; i++) {
        await client.ask('connect', { key: `subject ${i}`, port: proxy.port, timeoutMillis: 60_000 });
      }
      const found = await underWatch(room, async () => {
        proxy.limit('up', SENT_BYTES, 'hold');
        const began = Date.now();
        for (let i = 0; i < CONNECTIONS; i++) {
          await client.ask('start', { key: `subject ${i}`, method: 'echo', bytes: BODY_BYTES, count: 1 });
        }
        await pause(WATCH_MILLIS);
        const closes = proxy.serverCloses().flatMap((at) => (at === undefined ? [] : [at - began]));
        proxy.close();
        return { closes };
      });
      return { figures: found, cells: [closesText(found.closes), ...watchCells(found)] };
    } finally {
      proxy.close();
    }
  },
};

function closesText(closes) {
  if (closes.length === 0) return `never (gave up after ${millisText(WATCH_MILLIS)})`;
  const last = millisText(Math.max(...closes));
  return closes.length >= CONNECTIONS ? `all within ${last}` : `${closes.length} of ${CONNECTIONS} within ${last}`;
}
