import { short } from '../../harness/results.mjs';
import { LIMITED_PER_SECOND, LIMITED_QUEUE_MILLIS } from '../../rpc/methods.mjs';
import { watchCells, watchColumns } from '../cells.mjs';
import { underWatch } from '../room.mjs';

const TIMES = 3;
const SECONDS = 30;
const DEADLINE_MILLIS = 1_000;

export const overload = {
  title: `${TIMES} times the calls that a handler can do, for ${SECONDS} s; an answer after ${DEADLINE_MILLIS} ms is of no use (ours may let calls wait ${LIMITED_QUEUE_MILLIS} ms)`,
  columns: [
    'answers in time, of capacity',
    'late',
    'refused, p99 ms',
    'no end yet',
    'longest wait ms',
    ...watchColumns,
  ],
  async run(room) {
    const { client, port, server } = room;
    await client.ask('connect', { key: 'subject', port, brisk: true, timeoutMillis: 30_000 });
    const found = await underWatch(room, () =>
      client.ask(
        'openLoop',
        {
          key: 'subject',
          method: 'limited',
          bytes: 1024,
          perSecond: TIMES * LIMITED_PER_SECOND,
          seconds: SECONDS,
          deadlineMillis: DEADLINE_MILLIS,
        },
        2 * SECONDS * 1000,
      ),
    );
    const waitedMillis = await server.ask('waited');
    const { sent, inTime, late, refused, refusalP99Millis } = found;
    const share = `${Math.round((100 * inTime) / (LIMITED_PER_SECOND * SECONDS))} %`;
    const refusals = refused === 0 ? 'none' : `${refused}, ${short(refusalP99Millis)}`;
    return {
      figures: { ...found, waitedMillis },
      cells: [
        share,
        String(late),
        refusals,
        String(sent - inTime - late - refused),
        short(waitedMillis),
        ...watchCells(found),
      ],
    };
  },
};
