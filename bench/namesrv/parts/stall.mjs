import { FIXED, OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const TOPICS = 100_000;
const SPLIT = 800;
const MOST_ROUNDS = 3;
const LINGER_MILLIS = 20;
/** The probe asks for a route that has nothing to do with the large broker. */
const PROBE_BROKER = 5_000;
const FORMS = [
  { label: 'plain, as of 4.9.7', version: 407 },
  { label: 'compressed', version: 479, compressed: true },
  { label: `split by ${SPLIT}`, version: 479, split: SPLIT },
];

export const stall = {
  name: 'stall',
  title: 'A broker of 100,000 topics',
  about:
    'A large broker comes, registers again and leaves, while another connection asks for a small route each millisecond without waiting for ' +
    "answers. The longest wait of a probe is the stall; the longest gap is between two turns of a timer of 1 ms in the server's event loop. " +
    'The load and the probe share a processor: a probe that was sent late is not charged to the server, one whose answer was read late is. ' +
    'What the machine adds is in the row "nothing".',
  columns: [
    ['longest probe ms', 'maxMillis'],
    ['probe p99 ms', 'p99Millis'],
    ['longest gap ms', 'gapMillis'],
    ['took ms', 'tookMillis'],
    ['server CPU ms', 'cpuMillis'],
  ],
  plots: [{ title: 'A broker of 100,000 topics: longest wait of a probe, ms', figure: 'maxMillis' }],

  async run(session) {
    const forms = await session.oneByOne(FORMS, (form) => measureForm(session, form));
    return { cases: forms.flat() };
  },
};

async function measureForm(session, { label, version, compressed, split }) {
  const load = session.startLoad();
  const prober = session.startLoad();
  const topology = { topics: TOPICS, version };
  const phases = new Map();
  const note = (phase, name, sample) => {
    const samples = phases.get(phase) ?? { [OURS]: [], [FIXED]: [] };
    samples[name].push(sample);
    phases.set(phase, samples);
  };
  await session.inTurn(
    [OURS, FIXED],
    async (name) => {
      const server = await session.startServer(name);
      const { port, isFixed } = server;
      await prober.ask('seed', { port, topology: { brokers: 1, topics: 0, version, firstBroker: PROBE_BROKER } });
      const topic = `broker-${PROBE_BROKER}`;
      await prober.ask('openProbe', { port, topic, broker: PROBE_BROKER, version, isChecked: !isFixed });
      const phase = (what, work) =>
        timedPhase({ server, prober, work }).then((sample) => note(`${label}, ${what}`, name, sample));
      await phase('nothing', () => new Promise((resolve) => setTimeout(resolve, 300)));
      if (split === undefined) {
        await load.ask('prepareSeed', { port, topology, compressed });
        await phase('first', () => load.ask('sendSeed'));
        await load.ask('prepare', { kind: 'unchanged' });
        await phase('unchanged', () => load.ask('send'));
        await load.ask('prepare', { kind: 'changed' });
        await phase('changed', () => load.ask('send'));
        await phase('leaves', () => load.ask('unregister'));
        await load.ask('leave');
      } else {
        const ask = (step) => load.ask('split', { port, topology, size: split, step });
        await ask('prepare');
        await phase('first', () => ask('send'));
        await ask('change');
        await phase('changed', () => ask('send'));
        await phase('connection closes', () => ask('close'));
      }
      if (!isFixed) await load.ask('lookUp', { port, topic: 'bench-topic-000000', brokers: [], version });
      await prober.ask('closeProbe');
      await prober.ask('leave');
      await server.end();
      session.tell(`stall ${label}, ${name}: done`);
    },
    Math.min(session.rounds, MOST_ROUNDS),
  );
  return [...phases].map(([phase, samples]) => ({ label: phase, samples }));
}

async function timedPhase({ server, prober, work }) {
  await server.startGaps();
  await prober.ask('startProbe');
  let tookMillis;
  let gapMillis;
  let probes;
  const { cpuMicros } = await withUsage(server, async () => {
    const began = performance.now();
    await work();
    tookMillis = performance.now() - began;
    // A server may answer before it has done the work.
    await new Promise((resolve) => setTimeout(resolve, LINGER_MILLIS));
    probes = await prober.ask('stopProbe');
    gapMillis = await server.stopGaps();
  });
  return { ...probes, gapMillis, tookMillis, cpuMillis: cpuMicros / 1000 };
}
