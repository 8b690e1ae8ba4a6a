import { median } from '../../harness/results.mjs';
import { fitLine } from '../fit.mjs';
import { OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const SECONDS = 1;
const MOST_ROUNDS = 3;
const WARM_ANSWERS = 20_000;

/** What grows, its sizes, and what else is measured with it. */
const DIMENSIONS = [
  {
    name: 'clients',
    about: 'connections with one lookup under way on each; 8 brokers, 100 topics',
    sizes: [50, 500, 2_000, 6_000],
    setUp: (size) => ({ topology: { brokers: 8, topics: 100 }, connections: size, perConnection: 1 }),
    fitted: [
      ['serverMicros', 'server CPU of a lookup, µs'],
      ['grownKib', 'memory, KiB'],
    ],
  },
  {
    name: 'brokers',
    about: 'brokers in all; each of 1,000 topics is on 8 of them; 16 connections x 8',
    sizes: [10, 50, 200, 800],
    setUp: (size) => ({ topology: { brokers: size, topics: 1_000, perTopic: 8 } }),
    fitted: [
      ['serverMicros', 'server CPU of a lookup, µs'],
      ['grownKib', 'memory, KiB'],
    ],
  },
  {
    name: 'topics',
    about: 'topics, each on 8 brokers, registered compressed, and all looked up; 16 connections x 8',
    sizes: [1_000, 5_000, 20_000, 50_000],
    setUp: (size) => ({ topology: { brokers: 8, topics: size }, compressed: true, warmAnswers: 3 * size }),
    fitted: [
      ['serverMicros', 'server CPU of a lookup, µs'],
      ['grownKib', 'memory, KiB'],
    ],
  },
  {
    name: 'topics that nobody asks for',
    about: 'topics, each on 8 brokers, registered compressed; 100 of them are looked up; 16 connections x 8',
    sizes: [1_000, 10_000, 50_000, 200_000],
    setUp: (size) => ({ topology: { brokers: 8, topics: size }, compressed: true, lookedUp: 100 }),
    fitted: [
      ['serverMicros', 'server CPU of a lookup, µs'],
      ['grownKib', 'memory, KiB'],
    ],
  },
  {
    name: 'brokers of a topic',
    about: 'brokers, all with all 100 topics; 16 connections x 8',
    sizes: [1, 4, 16, 64, 128],
    setUp: (size) => ({ topology: { brokers: size, topics: 100 } }),
    fitted: [
      ['serverMicros', 'server CPU of a lookup, µs'],
      ['bodyBytes', 'bytes of an answer'],
    ],
  },
];

const REGISTRATION_SIZES = [100, 1_000, 10_000, 50_000];

export const scale = {
  name: 'scale',
  title: 'How cost grows',
  about:
    'One thing grows, the others stay. Each cost is fitted with a straight line by least squares of relative errors; "within" is the largest ' +
    'relative error of a point. Memory is what the process has more than before the first broker came; for routes that are looked up it ' +
    'has the kept answers in it.',

  async run(session) {
    const tables = [];
    const lines = [];
    const notes = [];
    const points = {};
    const fits = {};
    const note = (dimension, figure, label, measured) => {
      const values = measured.map(({ x, samples }) => [x, median(samples.map((sample) => sample[figure]))]);
      const fit = fitLine(values);
      fits[`${dimension}: ${label}`] = fit;
      notes.push(
        `${label} = ${fit.base.toPrecision(3)} + ${fit.each.toPrecision(3)} x ${dimension}, within ${Math.round(100 * fit.error)} %.`,
      );
      lines.push({ title: `${label}, by ${dimension}`, xLabel: dimension, series: [{ label, points: values, fit }] });
    };
    for (const dimension of DIMENSIONS) {
      const measured = await measureDimension(session, dimension);
      points[dimension.name] = measured;
      tables.push({
        caption: `By ${dimension.name}: ${dimension.about}.`,
        ...tableOf(dimension.name, LOOKUP_COLUMNS, measured),
      });
      for (const [figure, label] of dimension.fitted) note(dimension.name, figure, label, measured);
    }
    for (const kind of ['unchanged', 'changed']) {
      const measured = await measureRegistrations(session, kind);
      points[`registrations ${kind}`] = measured;
      tables.push({
        caption: `By topics of a broker: a registration, JSON of 5.3.3, ${kind}.`,
        ...tableOf('topics', REGISTRATION_COLUMNS, measured),
      });
      note('topics of a broker', 'serverMillis', `server CPU of a registration, ${kind}, ms`, measured);
    }
    return { tables, notes, lines, points, fits };
  },
};

const LOOKUP_COLUMNS = [
  ['server CPU µs', 'serverMicros'],
  ['answer bytes', 'bodyBytes'],
  ['memory MiB', 'grownMiB'],
];
const REGISTRATION_COLUMNS = [
  ['server CPU ms', 'serverMillis'],
  ['body KiB', 'bodyKib'],
];

function tableOf(name, columns, measured) {
  return {
    head: [name, ...columns.map(([title]) => title)],
    rows: measured.map(({ x, samples }) => [
      x.toLocaleString('en'),
      ...columns.map(([, figure]) => samples.map((sample) => sample[figure])),
    ]),
  };
}

function measureDimension(session, { name, sizes, setUp }) {
  return session.oneByOne(sizes, async (size) => {
    const {
      topology,
      compressed,
      connections = 16,
      perConnection = 8,
      warmAnswers = WARM_ANSWERS,
      lookedUp,
    } = setUp(size);
    const server = await session.startServer(OURS);
    const load = session.startLoad();
    const { port } = server;
    const before = await server.usage();
    await load.ask('seed', { port, topology, compressed, seconds: 60 });
    await load.ask('openLookups', { port, topology, connections, lookedUp });
    const warm = { seconds: 0.5, leastAnswers: Math.max(WARM_ANSWERS, warmAnswers), mostSeconds: 15 };
    await load.ask('window', { perConnection, ...warm });
    const samples = await session.repeat(
      async () => {
        const { result, cpuMicros, rssMiB } = await withUsage(server, () =>
          load.ask('window', { perConnection, seconds: SECONDS }),
        );
        const grownMiB = rssMiB - before.rssBytes / 2 ** 20;
        return { ...result, serverMicros: cpuMicros / result.answers, grownMiB, grownKib: grownMiB * 1024 };
      },
      Math.min(session.rounds, MOST_ROUNDS),
    );
    const { serverMicros, grownMiB } = samples.at(-1);
    session.tell(`scale, ${size} ${name}: ${serverMicros.toFixed(2)} µs, ${grownMiB.toFixed(0)} MiB`);
    return { x: size, samples };
  });
}

function measureRegistrations(session, kind) {
  return session.oneByOne(REGISTRATION_SIZES, async (topics) => {
    const server = await session.startServer(OURS);
    const load = session.startLoad();
    await load.ask('seed', { port: server.port, topology: { topics } });
    const register = () => load.ask('register', { kind, seconds: SECONDS });
    await register();
    const samples = await session.repeat(
      async () => {
        const { result, cpuMicros } = await withUsage(server, register);
        return { serverMillis: cpuMicros / 1000 / result.registrations, bodyKib: result.bodyBytes / 1024 };
      },
      Math.min(session.rounds, MOST_ROUNDS),
    );
    session.tell(`scale, registration of ${topics} topics, ${kind}: ${samples.at(-1).serverMillis.toFixed(2)} ms`);
    return { x: topics, samples };
  });
}
