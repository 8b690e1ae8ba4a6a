import { short } from '../../harness/results.mjs';
import { watchCells, watchColumns } from '../cells.mjs';
import { underWatch } from '../room.mjs';

const BODY_BYTES = 64;
const IN_FLIGHT = 2_000;
const SECONDS = 5;
/** While code is compiled timers are late whoever asks. */
const WARM_UP_SECONDS = 1;

export const flood = {
  title: `connection with ${IN_FLIGHT} echoes of ${BODY_BYTES} bytes under way all the time, for ${SECONDS} s`,
  columns: ['answers a second', "server's timers late by ms, p99, most", ...watchColumns],
  async run(room) {
    const { client, port, server } = room;
    await client.ask('connect', { key: 'subject', port, timeoutMillis: 30_000 });
    const asked = { key: 'subject', bytes: BODY_BYTES, inFlight: IN_FLIGHT };
    await client.ask('keepAsking', { ...asked, seconds: WARM_UP_SECONDS });
    const found = await underWatch(room, async () => {
      await server.ask('begin');
      const { answered } = await client.ask('keepAsking', { ...asked, seconds: SECONDS });
      const { delayP99Millis, delayMostMillis } = await server.ask('end');
      return { answered, delayP99Millis, delayMostMillis };
    });
    const { answered, delayP99Millis, delayMostMillis } = found;
    return {
      figures: found,
      cells: [short(answered / SECONDS), `${short(delayP99Millis)}, ${short(delayMostMillis)}`, ...watchCells(found)],
    };
  },
};
