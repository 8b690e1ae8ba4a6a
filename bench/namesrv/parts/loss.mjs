import { median } from '../../harness/results.mjs';
import { fitLine } from '../fit.mjs';
import { OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const OF_BROKER = [1_000, 5_000, 20_000, 50_000, 100_000];
const OF_TABLE = [10_000, 50_000, 100_000, 200_000];
const TABLE = 100_000;
const FIXED_LOSS = 1_000;
const MOST_ROUNDS = 3;
/** After this time all that a broker leaves behind is out of the tables. */
const SETTLE_MILLIS = 400;
const LOST_BROKER = 100;

export const loss = {
  name: 'loss',
  title: 'Loss of a broker',
  about:
    `A broker's connection closes. First: the table has ${TABLE.toLocaleString('en')} topics of another broker, and so many of them are on the one that is lost, ` +
    `too. Then: the lost broker has ${FIXED_LOSS.toLocaleString('en')} of a table's topics, whatever its size. CPU of the server until it has nothing more to do, less that of looking on for as long, and the ` +
    'longest gap of its event loop. That the lost broker is gone from the route of its last topic, and the other is not, is looked up.',

  async run(session) {
    const byBroker = await measurePoints(
      session,
      OF_BROKER.map((lost) => ({ lost, table: TABLE })),
      'lost',
    );
    const byTable = await measurePoints(
      session,
      OF_TABLE.map((table) => ({ lost: FIXED_LOSS, table })),
      'table',
    );
    const line = (points, figure) =>
      points.map(({ x, samples }) => [x, median(samples.map((sample) => sample[figure]))]);
    const fit = fitLine(line(byBroker, 'cpuMillis'));
    return {
      tables: [tableOf('topics of the lost broker', byBroker), tableOf('topics in the table', byTable)],
      notes: [
        `CPU = ${fit.base.toFixed(2)} ms + ${(fit.each * 1000).toFixed(3)} µs x topics of the lost broker, within ${Math.round(100 * fit.error)} % of each point.`,
      ],
      fit,
      lines: [
        {
          title: 'Loss of a broker: server CPU, ms',
          xLabel: 'topics (of the lost broker; of the table where it has 1,000)',
          series: [
            {
              label: `of the lost broker, table of ${TABLE.toLocaleString('en')}`,
              points: line(byBroker, 'cpuMillis'),
              fit,
            },
            { label: `of the table, ${FIXED_LOSS.toLocaleString('en')} lost`, points: line(byTable, 'cpuMillis') },
          ],
        },
      ],
      points: { byBroker, byTable },
    };
  },
};

function tableOf(head, points) {
  return {
    head: [head, 'server CPU ms', 'longest gap ms'],
    rows: points.map(({ x, samples }) => [
      x.toLocaleString('en'),
      samples.map(({ cpuMillis }) => cpuMillis),
      samples.map(({ gapMillis }) => gapMillis),
    ]),
  };
}

function measurePoints(session, sizes, key) {
  return session.oneByOne(sizes, async (size) => {
    const { lost, table } = size;
    const server = await session.startServer(OURS);
    const load = session.startLoad();
    const { port } = server;
    await load.ask('seed', { port, topology: { topics: table }, compressed: true, name: 'kept' });
    const once = () => measureLoss({ server, load, port, lost });
    // The first time is not counted: code is cold.
    await once();
    const samples = await session.repeat(once, Math.min(session.rounds, MOST_ROUNDS));
    session.tell(`loss of ${lost} of ${table} topics: ${samples.at(-1).cpuMillis.toFixed(1)} ms of CPU`);
    return { x: size[key], size, samples };
  });
}

async function measureLoss({ server, load, port, lost }) {
  const topology = { topics: lost, firstBroker: LOST_BROKER };
  await load.ask('seed', { port, topology, compressed: true, name: 'lost' });
  const topic = `bench-topic-${String(lost - 1).padStart(6, '0')}`;
  await load.ask('lookUp', { port, topic, brokers: [0, LOST_BROKER] });
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLIS));
  const nothing = await observed({ server, load, port, topic, brokers: [0, LOST_BROKER], what: () => undefined });
  const lossOf = () => load.ask('leave', { name: 'lost' });
  const loss = await observed({ server, load, port, topic, brokers: [0], what: lossOf });
  return { cpuMillis: loss.cpuMillis - nothing.cpuMillis, gapMillis: loss.gapMillis };
}

/** What the server does when something happens, until a topic's route is right and some time after. */
async function observed({ server, load, port, topic, brokers, what }) {
  await server.startGaps();
  let gapMillis;
  const { cpuMicros } = await withUsage(server, async () => {
    await what();
    await load.ask('lookUp', { port, topic, brokers });
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLIS));
    gapMillis = await server.stopGaps();
  });
  return { cpuMillis: cpuMicros / 1000, gapMillis };
}
