import { millisText, watchCells, watchColumns } from '../cells.mjs';
import { startFaultProxy } from '../fault-proxy.mjs';
import { pause, underWatch } from '../room.mjs';

const BODY_BYTES = 64 * 1024;
const TOTAL_BYTES = 400 * 1024 * 1024;
const SECONDS = 5;
const WATCH_MILLIS = 9_000;

export const peerNeverReads = {
  title: `client that sends up to ${TOTAL_BYTES / 2 ** 20} MiB of echoes in ${SECONDS} s and reads no answer`,
  columns: ['MiB the server took', 'connection closed by the server', ...watchColumns],
  async run(room, peer) {
    if (peer.traits.dialsBack) return unreached();
    const { client, port } = room;
    const proxy = await startFaultProxy(port);
    try {
      await client.ask('connect', { key: 'subject', port: proxy.port, timeoutMillis: 60_000 });
      const found = await underWatch(room, async () => {
        proxy.holdAnswers();
        const began = Date.now();
        await client.ask('flood', {
          key: 'subject',
          bytes: BODY_BYTES,
          totalBytes: TOTAL_BYTES,
          seconds: SECONDS,
        });
        await pause(Math.max(0, began + WATCH_MILLIS - Date.now()));
        const [closedAt] = proxy.serverCloses();
        const takenMiB = proxy.bytesUp() / 2 ** 20;
        proxy.close();
        return { takenMiB, closedMillis: closedAt === undefined ? undefined : closedAt - began };
      });
      const closed =
        found.closedMillis === undefined
          ? `no (${millisText(WATCH_MILLIS)})`
          : `after ${millisText(found.closedMillis)}`;
      return { figures: found, cells: [String(Math.round(found.takenMiB)), closed, ...watchCells(found)] };
    } finally {
      proxy.close();
    }
  },
};

function unreached() {
  const reason = 'its answers come over a connection of their own, which this fault does not reach';
  return { figures: { reason }, cells: ['-', reason, '-', '-'] };
}
