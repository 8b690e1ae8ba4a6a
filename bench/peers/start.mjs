import { freePort } from '../harness/free-port.mjs';
import { runNsload } from './nsload.mjs';
import { APACHE_4, APACHE_5, FIXED, OURS, plainCommand } from './servers.mjs';

const HOLD_SECONDS = '2';

export const start = {
  name: 'start',
  title: 'Start',
  about: `From just before the process is started until a broker has registered and its route was answered rightly; resident memory then, and ${HOLD_SECONDS} s later.`,
  columns: [
    ['ms to the first answer', 'readyMillis'],
    ['RSS MiB', 'rssMiB'],
    ['RSS MiB idle', 'idleMiB'],
  ],
  ratioOf: 'readyMillis',
  plots: [
    { title: 'Start to first right answer, ms', figure: 'readyMillis' },
    { title: 'Resident memory after start, MiB', figure: 'idleMiB' },
  ],

  async measure(session) {
    const samples = await session.inTurn([OURS, FIXED, APACHE_4, APACHE_5], async (name) => {
      const port = await freePort();
      const { command, args, env } = plainCommand(name, port);
      const pin = ['taskset', '-c', String(session.serverCore)];
      const load = ['-n', '1', '-hold', HOLD_SECONDS, '-addr', `127.0.0.1:${port}`, '-brokers', '1', '-topics', '1'];
      const flags = [...load, '--', ...(session.isPinned ? pin : []), command, ...args];
      const { ready_ms, rss_kb, rss_idle_kb } = await runNsload({ mode: 'start', flags, env });
      session.tell(`start, ${name}: ${ready_ms} ms`);
      return { readyMillis: ready_ms, rssMiB: rss_kb / 1024, idleMiB: rss_idle_kb / 1024 };
    });
    const bars = [
      { figure: 'readyMillis', title: 'time to the first answer', other: APACHE_5, op: '<=', limit: 0.2 },
      { figure: 'idleMiB', title: 'resident MiB after start', op: '<=', limit: 80 },
    ];
    return [{ label: 'start', samples, bars }];
  },
};
