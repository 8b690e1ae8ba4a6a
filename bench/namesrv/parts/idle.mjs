import { FIXED, OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const COUNT = 5_000;
const HOLD_SECONDS = 2;
const TOPOLOGY = { brokers: 1, topics: 10 };

export const idle = {
  name: 'idle',
  title: `${COUNT.toLocaleString('en')} idle connections`,
  about: `Each connection asks for one route and then nothing; memory ${HOLD_SECONDS} s after the last one, less that before the first. A fresh server each time.`,
  columns: [
    ['KiB a connection', 'kibPerConnection'],
    ['RSS MiB before', 'beforeMiB'],
    ['RSS MiB after', 'afterMiB'],
    ['server CPU µs to set one up', 'setUpMicros'],
    ['server CPU ms/s while idle', 'idleMillis'],
  ],
  ratioOf: 'kibPerConnection',
  plots: [{ title: 'Resident memory of an idle connection, KiB', figure: 'kibPerConnection' }],

  async run(session) {
    const samples = await session.inTurn([OURS, FIXED], async (name) => {
      const server = await session.startServer(name);
      const load = session.startLoad();
      await load.ask('seed', { port: server.port, topology: TOPOLOGY });
      const before = await server.usage();
      const { cpuMicros } = await withUsage(server, () =>
        load.ask('openIdle', { port: server.port, topology: TOPOLOGY, count: COUNT }),
      );
      const { cpuMicros: idleMicros } = await withUsage(
        server,
        () => new Promise((resolve) => setTimeout(resolve, HOLD_SECONDS * 1000)),
      );
      const after = await server.usage();
      const open = await load.ask('stillOpen');
      if (open !== COUNT) throw new Error(`only ${open} of ${COUNT} connections stayed open`);
      await session.endAll();
      const kibPerConnection = (after.rssBytes - before.rssBytes) / 1024 / COUNT;
      session.tell(`idle, ${name}: ${kibPerConnection.toFixed(2)} KiB a connection`);
      return {
        kibPerConnection,
        beforeMiB: before.rssBytes / 2 ** 20,
        afterMiB: after.rssBytes / 2 ** 20,
        setUpMicros: cpuMicros / COUNT,
        idleMillis: idleMicros / 1000 / HOLD_SECONDS,
      };
    });
    return { cases: [{ label: `${COUNT.toLocaleString('en')} connections`, samples }] };
  },
};
