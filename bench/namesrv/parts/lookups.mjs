import { FIXED, OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const TOPICS = 100;
const WARM_ANSWERS = 50_000;
const SECONDS = 1.5;

const SHAPES = [
  { label: '8 brokers, 16 connections x 8', brokers: 8, connections: 16, perConnection: 8 },
  { label: '64 brokers, 16 connections x 8', brokers: 64, connections: 16, perConnection: 8 },
  { label: '1 broker, 200 connections x 2', brokers: 1, connections: 200, perConnection: 2 },
  { label: '8 brokers, 2,000 a second', brokers: 8, connections: 16, perSecond: 2_000 },
];

export const lookups = {
  name: 'lookups',
  title: 'Route lookups',
  about:
    `Routes of ${TOPICS} topics, each on all brokers. Brokers of a route, then connections x lookups under way on each (the window is kept ` +
    'full), or an open loop: so many a second whether answers come or not, with latency from when each was due. At a full window latency ' +
    'says how long the queue is.',
  columns: [
    ['lookups/s', 'perSecond'],
    ['server CPU µs', 'serverMicros'],
    ['p50 µs', 'p50Micros'],
    ['p99 µs', 'p99Micros'],
    ['p99.9 µs', 'p999Micros'],
    ['body bytes', 'bodyBytes'],
    ['RSS MiB', 'rssMiB'],
  ],
  ratioOf: 'serverMicros',
  plots: [{ title: 'Server CPU of a lookup, µs', figure: 'serverMicros' }],

  async run(session) {
    return { cases: await session.oneByOne(SHAPES, (shape) => measureShape(session, shape)) };
  },
};

async function measureShape(session, { label, brokers, connections, perConnection, perSecond }) {
  const load = session.startLoad();
  const topology = { brokers, topics: TOPICS };
  const servers = await session.startBoth({ brokers, checksums: false }, async ({ port }, name) => {
    await load.ask('seed', { port, topology, name });
    await load.ask('openLookups', { port, topology, connections, name });
    await load.ask('window', {
      name,
      perConnection: perConnection ?? 4,
      seconds: 0.5,
      leastAnswers: WARM_ANSWERS,
      mostSeconds: 4,
    });
  });
  const samples = await session.inTurn([OURS, FIXED], async (name) => {
    const { result, cpuMicros, rssMiB } = await withUsage(servers.get(name), () =>
      perSecond === undefined
        ? load.ask('window', { name, perConnection, seconds: SECONDS })
        : load.ask('atRate', { name, perSecond, seconds: SECONDS }),
    );
    const serverMicros = cpuMicros / result.answers;
    session.tell(`${label}, ${name}: ${serverMicros.toFixed(2)} µs of CPU a lookup`);
    return { ...result, serverMicros, rssMiB };
  });
  return { label, samples };
}
