import { freePort } from '../../harness/free-port.mjs';
import { startPlainChild } from '../../harness/pinned-child.mjs';
import { usageOf } from '../../harness/process-usage.mjs';
import { commandOf, FIXED, OURS } from '../servers.mjs';

const IDLE_SECONDS = 2;

export const start = {
  name: 'start',
  title: 'Start',
  about: `From just before the process is started until a broker has registered and its route was answered rightly; resident memory then, and ${IDLE_SECONDS} s later.`,
  columns: [
    ['ms to the first answer', 'readyMillis'],
    ['CPU ms', 'cpuMillis'],
    ['RSS MiB', 'rssMiB'],
    ['RSS MiB idle', 'idleMiB'],
  ],
  ratioOf: 'readyMillis',
  plots: [
    { title: 'Start to first right answer, ms', figure: 'readyMillis' },
    { title: 'Resident memory after start, MiB', figure: 'idleMiB' },
  ],

  async run(session) {
    const load = session.startLoad();
    await load.ask('cpuMicros');
    const samples = await session.inTurn([OURS, FIXED], async (name) => {
      const port = await freePort();
      const { module, args } = commandOf(name, port);
      const began = performance.timeOrigin + performance.now();
      const child = startPlainChild({ command: process.execPath, args: [module, ...args], core: session.serverCore });
      try {
        const readyMillis = (await load.ask('startUp', { port })) - began;
        const ready = usageOf(child.pid);
        await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
        const idle = usageOf(child.pid);
        session.tell(`start, ${name}: ${readyMillis.toFixed(0)} ms`);
        return {
          readyMillis,
          cpuMillis: ready.cpuMicros / 1000,
          rssMiB: ready.rssBytes / 2 ** 20,
          idleMiB: idle.rssBytes / 2 ** 20,
        };
      } finally {
        await child.end();
      }
    });
    await session.endAll();
    return { cases: [{ label: 'start', samples }] };
  },
};
