import { millisText, watchCells, watchColumns } from '../cells.mjs';
import { announceTwoGib } from '../huge-frames.mjs';
import { pause, underWatch } from '../room.mjs';

const MOST_BYTES = 256 * 1024 * 1024;
const SEND_MILLIS = 6_000;

export const lengthOfTwoGib = {
  title: `frame that announces 2 GiB, followed by up to ${MOST_BYTES / 2 ** 20} MiB of it`,
  columns: ['announced', 'connection closed by the server', 'MiB it, or the system for it, took', ...watchColumns],
  async run(room, peer) {
    const found = await underWatch(room, async () => {
      const began = Date.now();
      const attack = announceTwoGib(peer.name, room.port);
      const end = Date.now() + SEND_MILLIS;
      while (!attack.isClosed() && Date.now() < end) {
        if (attack.sentBytes() < MOST_BYTES) attack.send();
        await pause(1);
      }
      attack.destroy();
      return {
        announced: attack.announced,
        closedMillis: attack.isClosed() ? attack.closedAt() - began : undefined,
        takenMiB: attack.sentBytes() / 2 ** 20,
      };
    });
    const closed =
      found.closedMillis === undefined
        ? `never (gave up after ${millisText(SEND_MILLIS)})`
        : `after ${millisText(found.closedMillis)}`;
    return {
      figures: found,
      cells: [found.announced, closed, String(Number(found.takenMiB.toPrecision(2))), ...watchCells(found)],
    };
  },
};
