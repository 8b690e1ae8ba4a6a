import { callsEndedText, errorsText } from '../cells.mjs';
import { pause } from '../room.mjs';

const CALLS = 20;
const LIMIT_MILLIS = 10_000;

export const killedServer = {
  title: `server killed with ${CALLS} calls pending`,
  columns: ['calls ended', 'with'],
  async run({ server, client, port }) {
    await client.ask('connect', { key: 'subject', port, brisk: true });
    await client.ask('start', { key: 'subject', method: 'never', bytes: 1024, count: CALLS });
    await pause(300);
    const killedAt = Date.now();
    server.signal('SIGKILL');
    const found = await client.ask('ended', { key: 'subject', limitMillis: LIMIT_MILLIS });
    return {
      figures: { killedAt, ...found },
      cells: [callsEndedText(found, killedAt, LIMIT_MILLIS), errorsText(found.ended)],
    };
  },
};
