import { callsEndedText, errorsText, millisText } from '../cells.mjs';
import { pause } from '../room.mjs';

const CALLS = 20;
const LIMIT_MILLIS = 12_000;
const RETRY_MILLIS = 5_000;

export const frozenServer = {
  title: `server stopped by a signal with ${CALLS} calls pending, then continued`,
  columns: ['calls ended', 'with', 'next call after it continued'],
  async run({ server, client, port }) {
    await client.ask('connect', { key: 'subject', port, brisk: true });
    await client.ask('start', { key: 'subject', method: 'never', bytes: 1024, count: CALLS });
    await pause(300);
    const stoppedAt = Date.now();
    server.signal('SIGSTOP');
    const found = await client.ask('ended', { key: 'subject', limitMillis: LIMIT_MILLIS });
    server.signal('SIGCONT');
    const retried = await client.ask('retry', { key: 'subject', limitMillis: RETRY_MILLIS });
    const next = retried.millis === undefined ? `none within ${millisText(RETRY_MILLIS)}` : millisText(retried.millis);
    return {
      figures: { stoppedAt, ...found, retried },
      cells: [callsEndedText(found, stoppedAt, LIMIT_MILLIS), errorsText(found.ended), next],
    };
  },
};
