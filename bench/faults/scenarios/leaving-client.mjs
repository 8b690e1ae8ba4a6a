import { millisText } from '../cells.mjs';
import { startClient } from '../room.mjs';

const TIMES = 5;
const LIMIT_MILLIS = 10_000;

export const leavingClient = {
  title: `client closed after a call, ${TIMES} times`,
  columns: ['its process ended by itself, at most', 'with code'],
  async run({ port }, peer) {
    const ends = [];
    for (let i = 0; i < TIMES; i++) ends.push(await leave(peer.name, port));
    const never = ends.filter(({ millis }) => millis === undefined).length;
    const most = Math.max(...ends.map(({ millis = 0 }) => millis));
    return {
      figures: { ends },
      cells: [
        never === 0
          ? `${millisText(most)} after the close`
          : `never, ${never} of ${TIMES} (gave up after ${millisText(LIMIT_MILLIS)})`,
        [...new Set(ends.map(({ code }) => code ?? '-'))].join(', '),
      ],
    };
  },
};

async function leave(peerName, port) {
  const client = startClient(peerName, 'the client that leaves');
  let timer;
  try {
    await client.ask('connect', { key: 'subject', port, timeoutMillis: 30_000 });
    const { at } = await client.ask('leave', { key: 'subject' });
    const tooLong = new Promise((resolve) => {
      timer = setTimeout(resolve, LIMIT_MILLIS, {});
    });
    return await Promise.race([client.exited.then((code) => ({ millis: Date.now() - at, code })), tooLong]);
  } finally {
    clearTimeout(timer);
    await client.end();
  }
}
