import { startSeed } from './nsload.mjs';
import { APACHE_5, OURS, startPeer } from './servers.mjs';

const BROKERS = 500;
const TOPICS = 10_000;
const AFTER_MILLIS = 10_000;
const SMALL_APACHE = `${APACHE_5}, small heap`;

export const seeding = {
  name: 'seeding',
  title: '500 brokers with 10,000 topics each',
  about:
    'All brokers register the same topics, 5 million entries, 8 at once; then resident memory 10 s after the last. Apache once as it is shipped and once ' +
    'with a small heap and the serial collector. A fresh server each time; one round.',
  columns: [
    ['seconds', 'seconds'],
    ['server CPU s', 'cpuSeconds'],
    ['RSS MiB 10 s after', 'rssMiB'],
    ['most RSS MiB', 'peakMiB'],
  ],
  plots: [
    { title: 'Seeding 500 brokers x 10,000 topics, s', figure: 'seconds' },
    { title: 'Resident memory 10 s after seeding, MiB', figure: 'rssMiB' },
  ],

  async measure(session) {
    const samples = await session.inTurn([OURS, APACHE_5, SMALL_APACHE], (name) => seedOne(session, name), 1);
    const bars = [
      { figure: 'seconds', title: 'time to seed', other: APACHE_5, op: '<=', limit: 1 },
      { figure: 'seconds', title: 'time to seed', other: SMALL_APACHE, op: '<=', limit: 1 },
      { figure: 'rssMiB', title: 'resident memory 10 s after', other: SMALL_APACHE, op: '<=', limit: 0.4 },
    ];
    return [{ label: '5 million entries', samples, bars }];
  },
};

async function seedOne(session, name) {
  const isSmall = name === SMALL_APACHE;
  const server = await startPeer(isSmall ? APACHE_5 : name, { core: session.serverCore, isSmall });
  let seed;
  try {
    const flags = ['-addr', `127.0.0.1:${server.port}`, '-pid', String(server.pid)];
    flags.push('-brokers', String(BROKERS), '-topics', String(TOPICS), '-version', '479');
    seed = await startSeed({ flags, core: session.loadCore });
    // It tells its figures a second after the last registration.
    await new Promise((resolve) => setTimeout(resolve, AFTER_MILLIS - 1000));
    const { rssBytes } = await server.usage();
    const { seconds, server_cpu_s, server_peak_rss_kb } = seed.result;
    session.tell(`seeding, ${name}: ${seconds} s, ${Math.round(rssBytes / 2 ** 20)} MiB`);
    return { seconds, cpuSeconds: server_cpu_s, rssMiB: rssBytes / 2 ** 20, peakMiB: server_peak_rss_kb / 1024 };
  } finally {
    await seed?.end();
    await server.end();
  }
}
