import { FIXED, OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const SECONDS = 1;
const WARM_SECONDS = 1;

const SHAPES = [1_000, 10_000].flatMap((topics) =>
  [false, true].flatMap((compressed) =>
    ['unchanged', 'changed'].map((kind) => ({
      label: `${topics.toLocaleString('en')} topics, ${compressed ? 'compressed' : 'JSON'}, ${kind}`,
      topics,
      compressed,
      kind,
    })),
  ),
);

export const registrations = {
  name: 'registrations',
  title: 'Registrations of one broker',
  about:
    'One broker of 5.3.3 registers again as soon as it was answered; making bodies ready is not counted. Unchanged: as real 5.x brokers ' +
    'send it, with the time of sending in `mappingDataVersion` of a JSON body, so that its checksum differs each time. Changed: another ' +
    'data version, and one topic in the middle with another number of queues, whose route is checked after. The fixed answers take every ' +
    'body for granted, but compute and compare its checksum.',
  columns: [
    ['registrations/s', 'perSecond'],
    ['server CPU ms', 'serverMillis'],
    ['p50 ms', 'p50Millis'],
    ['longest ms', 'maxMillis'],
    ['body KiB', 'bodyKib'],
  ],
  ratioOf: 'serverMillis',
  plots: [{ title: 'Server CPU of a registration, ms', figure: 'serverMillis' }],

  async run(session) {
    return { cases: await session.oneByOne(SHAPES, (shape) => measureShape(session, shape)) };
  },
};

async function measureShape(session, { label, topics, compressed, kind }) {
  const load = session.startLoad();
  const register = ({ isFixed }, name, seconds) => load.ask('register', { name, kind, seconds, isChecked: !isFixed });
  const servers = await session.startBoth({}, async (server, name) => {
    await load.ask('seed', { port: server.port, topology: { topics }, compressed, name });
    await register(server, name, WARM_SECONDS);
  });
  const samples = await session.inTurn([OURS, FIXED], async (name) => {
    const server = servers.get(name);
    const { result, cpuMicros, rssMiB } = await withUsage(server, () => register(server, name, SECONDS));
    const serverMillis = cpuMicros / 1000 / result.registrations;
    session.tell(`${label}, ${name}: ${serverMillis.toFixed(3)} ms of CPU a registration`);
    return { ...result, serverMillis, rssMiB, bodyKib: result.bodyBytes / 1024 };
  });
  return { label, samples };
}
