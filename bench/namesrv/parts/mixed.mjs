import { FIXED, OURS } from '../servers.mjs';
import { withUsage } from '../session.mjs';

const BROKERS = 50;
const TOPICS = 1_000;
const PER_SECOND = 1_000;
const EVERY_SECONDS = 5;
const CHANGED_SHARE = 0.1;
const SECONDS = 5;
const MOST_ROUNDS = 3;

export const mixed = {
  name: 'mixed',
  title: 'Lookups while brokers register',
  about:
    `${BROKERS} brokers with the same ${TOPICS.toLocaleString('en')} topics register again every ${EVERY_SECONDS} s, spread evenly, one in ten with another ` +
    `data version, while ${PER_SECOND.toLocaleString('en')} routes a second are looked up in an open loop over 16 connections.`,
  columns: [
    ['p50 µs', 'p50Micros'],
    ['p99 µs', 'p99Micros'],
    ['p99.9 µs', 'p999Micros'],
    ['longest µs', 'maxMicros'],
    ['registration p50 ms', 'registrationP50Millis'],
    ['longest ms', 'registrationMaxMillis'],
    ['server CPU s/s', 'cores'],
    ['RSS MiB', 'rssMiB'],
  ],
  ratioOf: 'cores',
  plots: [{ title: 'Lookups while 50 brokers register: p99, µs', figure: 'p99Micros' }],

  async run(session) {
    const load = session.startLoad();
    const topology = { brokers: BROKERS, topics: TOPICS };
    const servers = await session.startBoth({ brokers: BROKERS }, async ({ port }, name) => {
      await load.ask('seed', { port, topology, name });
      await load.ask('openLookups', { port, topology, connections: 16, name });
    });
    const once = (name, seconds) =>
      load.ask('mixed', {
        name,
        lookups: name,
        perSecond: PER_SECOND,
        seconds,
        everySeconds: EVERY_SECONDS,
        changedShare: CHANGED_SHARE,
      });
    for (const name of [OURS, FIXED]) await once(name, 2);
    const samples = await session.inTurn(
      [OURS, FIXED],
      async (name) => {
        const { result, cpuMicros, rssMiB } = await withUsage(servers.get(name), () => once(name, SECONDS));
        session.tell(`mixed, ${name}: p99 ${result.p99Micros.toFixed(0)} µs`);
        return { ...result, cores: cpuMicros / 1e6 / result.seconds, rssMiB };
      },
      Math.min(session.rounds, MOST_ROUNDS),
    );
    await session.endAll();
    return { cases: [{ label: `${PER_SECOND.toLocaleString('en')} a second`, samples }] };
  },
};
