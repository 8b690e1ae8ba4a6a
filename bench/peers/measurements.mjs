import { APACHE_4, APACHE_5, FIXED, OURS } from './servers.mjs';

const ALL = [OURS, FIXED, APACHE_4, APACHE_5];
/** Of each server, before the first round: some hundred registrations more, until compilers have done their work. */
const WARM_ROUNDS = { 1000: 1_000, 10000: 300 };
/** A 4.x name server cannot read what a 5.x broker compresses. */
const THOSE_OF_5 = [OURS, FIXED, APACHE_5];
const V5 = ['-version', '479'];

const atMost = (figure, title, limit, ...others) => others.map((other) => ({ figure, title, other, op: '<=', limit }));
const atLeast = (figure, title, limit, ...others) => others.map((other) => ({ figure, title, other, op: '>=', limit }));
const own = (figure, title, limit) => ({ figure, title, op: '<=', limit });

const ROUTE_FIGURES = {
  perSecond: ['req_per_s'],
  serverMicros: ['server_cpu_us_per_req'],
  p50Micros: ['latency_us.p50'],
  p99Micros: ['latency_us.p99'],
  bodyBytes: ['response_bytes'],
  rssMiB: ['server_rss_kb', 1 / 1024],
};

/** Lookups of 100 topics, each on all brokers; Java needs some 50,000 of them before its figures settle. */
const route = (label, brokers, load, bars) => ({
  label,
  mode: 'route',
  brokers,
  checksums: false,
  servers: ALL,
  warm: ['-d', '3', '-warm', '0.5'],
  flags: ['-brokers', String(brokers), '-topics', '100', ...V5, '-d', '2', '-warm', '0.5', ...load],
  figures: ROUTE_FIGURES,
  bars,
});

const CPU_LOOKUP = 'server CPU of a lookup';

export const lookups = {
  name: 'lookups',
  title: 'Route lookups',
  about:
    'Routes of 100 topics, each on all brokers: connections x lookups under way on each (the window is kept full), or an open loop at a rate, with ' +
    'latency from when each was due. At a full window latency says how long the queue is.',
  columns: [
    ['lookups/s', 'perSecond'],
    ['server CPU µs', 'serverMicros'],
    ['p50 µs', 'p50Micros'],
    ['p99 µs', 'p99Micros'],
    ['answer bytes', 'bodyBytes'],
    ['RSS MiB', 'rssMiB'],
  ],
  ratioOf: 'serverMicros',
  plots: [{ title: 'Server CPU of a lookup, µs', figure: 'serverMicros' }],
  cases: [
    route(
      '8 brokers, 16 connections x 8',
      8,
      ['-c', '16', '-w', '8'],
      [...atMost('serverMicros', CPU_LOOKUP, 1.6, FIXED), ...atMost('serverMicros', CPU_LOOKUP, 0.18, APACHE_5)],
    ),
    route(
      '64 brokers, 16 connections x 8',
      64,
      ['-c', '16', '-w', '8'],
      [
        ...atMost('serverMicros', CPU_LOOKUP, 1.3, FIXED),
        ...atMost('serverMicros', CPU_LOOKUP, 0.12, APACHE_4, APACHE_5),
      ],
    ),
    route(
      '1 broker, 200 connections x 2',
      1,
      ['-c', '200', '-w', '2'],
      [
        ...atMost('serverMicros', CPU_LOOKUP, 1.3, FIXED),
        ...atMost('serverMicros', CPU_LOOKUP, 0.5, APACHE_4, APACHE_5),
      ],
    ),
    route(
      '8 brokers, 2,000 a second',
      8,
      ['-c', '16', '-w', '16', '-rate', '2000'],
      [
        ...atMost('p99Micros', 'p99', 1, APACHE_4, APACHE_5),
        ...atMost('serverMicros', CPU_LOOKUP, 0.4, APACHE_4, APACHE_5),
      ],
    ),
  ],
};

const registration = ({ label, topics, kind, rounds, compress, bars }) => ({
  label,
  mode: 'register',
  servers: compress ? THOSE_OF_5 : ALL,
  warm: ['-rounds', String(WARM_ROUNDS[topics])],
  flags: [
    ...['-brokers', '1', '-topics', String(topics), '-rounds', String(rounds), '-conc', '1', ...V5],
    ...['-change', kind === 'changed' ? '1' : '0', ...(compress ? ['-compress'] : [])],
  ],
  figures: {
    perSecond: [`${kind}.regs_per_s`],
    serverMillis: [`${kind}.server_cpu_ms_per_reg`],
    p50Millis: [`${kind}.latency_us.p50`, 1 / 1000],
    p99Millis: [`${kind}.latency_us.p99`, 1 / 1000],
    bodyKib: ['body_bytes', 1 / 1024],
  },
  bars,
});

const RATE = 'registrations a second';
const CPU_REGISTRATION = 'server CPU of a registration';

export const registrations = {
  name: 'registrations',
  title: 'Registrations of one broker',
  about:
    'One broker of 5.3.3 registers again as soon as it was answered. Unchanged: with the time of sending in `mappingDataVersion`, as real 5.x brokers ' +
    'send it, so that the checksum differs each time; a compressed body has no such time. Changed: another data version, and one topic with ' +
    'another number of queues. The fixed answers compute and compare the checksum.',
  columns: [
    ['registrations/s', 'perSecond'],
    ['server CPU ms', 'serverMillis'],
    ['p50 ms', 'p50Millis'],
    ['p99 ms', 'p99Millis'],
    ['body KiB', 'bodyKib'],
  ],
  ratioOf: 'serverMillis',
  plots: [
    { title: 'Registrations a second', figure: 'perSecond' },
    { title: 'Server CPU of a registration, ms', figure: 'serverMillis' },
  ],
  cases: [
    registration({
      label: '1,000 topics, unchanged',
      topics: 1_000,
      kind: 'unchanged',
      rounds: 400,
      bars: [...atLeast('perSecond', RATE, 2.5, APACHE_5), ...atMost('serverMillis', CPU_REGISTRATION, 1.5, FIXED)],
    }),
    registration({
      label: '10,000 topics, unchanged',
      topics: 10_000,
      kind: 'unchanged',
      rounds: 100,
      bars: [...atLeast('perSecond', RATE, 3.2, APACHE_5), ...atMost('serverMillis', CPU_REGISTRATION, 1.5, FIXED)],
    }),
    registration({
      label: '10,000 topics, changed',
      topics: 10_000,
      kind: 'changed',
      rounds: 60,
      bars: [...atLeast('perSecond', RATE, 1, APACHE_5)],
    }),
    registration({
      label: '10,000 topics, changed, compressed',
      topics: 10_000,
      kind: 'changed',
      rounds: 60,
      compress: true,
      bars: [...atLeast('perSecond', RATE, 1, APACHE_5)],
    }),
  ],
};

const mixedCase = (label, load) => ({
  label,
  mode: 'mixed',
  brokers: 50,
  servers: ALL,
  warm: ['-d', '4', '-warm', '0.5'],
  flags: [
    ...['-brokers', '50', '-topics', '1000', '-every', '5', '-change', '0.1', ...V5],
    ...['-d', '5', '-warm', '0.5', ...load],
  ],
  figures: {
    perSecond: ['req_per_s'],
    p50Micros: ['routes.latency_us.p50'],
    p99Micros: ['routes.latency_us.p99'],
    registrationP99Millis: ['registration_latency_us.p99', 1 / 1000],
    serverMicros: ['routes.server_cpu_us_per_req'],
    rssMiB: ['routes.server_rss_kb', 1 / 1024],
  },
  bars: atMost('p99Micros', 'p99 of lookups', 0.7, APACHE_4, APACHE_5),
});

export const mixed = {
  name: 'mixed',
  title: 'Lookups while brokers register',
  about:
    '50 brokers with the same 1,000 topics register again every 5 s, one in ten with another data version, while routes are looked up.',
  columns: [
    ['lookups/s', 'perSecond'],
    ['p50 µs', 'p50Micros'],
    ['p99 µs', 'p99Micros'],
    ['registration p99 ms', 'registrationP99Millis'],
    ['server CPU µs a lookup', 'serverMicros'],
    ['RSS MiB', 'rssMiB'],
  ],
  ratioOf: 'p99Micros',
  plots: [{ title: 'Lookups while 50 brokers register: p99, µs', figure: 'p99Micros' }],
  cases: [
    mixedCase('16 connections x 16', ['-c', '16', '-w', '16']),
    mixedCase('2,000 a second', ['-c', '16', '-w', '16', '-rate', '2000']),
  ],
};

const STALL_PHASES = ['first', 'unchanged', 'changed', 'leave'];

const stallCase = (label, servers, flags) => ({
  label,
  mode: 'stall',
  servers,
  isFresh: true,
  watchesGaps: true,
  flags: ['-rounds', '3', ...flags],
  figures: {
    ...Object.fromEntries(
      ['idle', ...STALL_PHASES].map((phase) => [`${phase}Millis`, [`${phase}.probe_us.max`, 1 / 1000]]),
    ),
    lateMillis: ['probe_sent_late_us.max', 1 / 1000],
    firstTookMillis: ['first.took_ms'],
  },
  /** The longest of all phases. */
  derive: (sample) => ({
    ...sample,
    longestMillis: Math.max(...STALL_PHASES.map((phase) => sample[`${phase}Millis`] ?? 0)),
  }),
  bars: [
    own('longestMillis', 'longest wait of a probe, ms', 25),
    own('gapMillis', 'longest gap of the event loop, ms', 25),
  ],
});

export const stall = {
  name: 'stall',
  title: 'A broker of 100,000 topics',
  about:
    'A large broker comes, registers again and leaves, three times, while another connection asks for a small route each millisecond without waiting ' +
    'for answers: the longest wait of a probe in each phase, ms. What the machine and the generator add is under "idle" and "sent late". The gap is ' +
    'between two turns of a timer of 1 ms in the event loop of a Node server, over the whole run. A fresh server each time.',
  columns: [
    ['longest', 'longestMillis'],
    ['idle', 'idleMillis'],
    ['first', 'firstMillis'],
    ['unchanged', 'unchangedMillis'],
    ['changed', 'changedMillis'],
    ['leave', 'leaveMillis'],
    ['sent late', 'lateMillis'],
    ['gap', 'gapMillis'],
    ['first took', 'firstTookMillis'],
  ],
  plots: [{ title: 'A broker of 100,000 topics: longest wait of a probe, ms', figure: 'longestMillis' }],
  cases: [
    stallCase('plain, as of 4.9.7', ALL, []),
    stallCase('compressed', THOSE_OF_5, ['-compress', ...V5]),
    stallCase('split by 800', THOSE_OF_5, ['-split', '800', ...V5]),
  ],
};

export const idle = {
  name: 'idle',
  title: '5,000 idle connections',
  about:
    'Each connection asks for one route and then nothing; memory 5 s after the last, less that before the first. A fresh server each time.',
  columns: [
    ['KiB a connection', 'kibPerConnection'],
    ['RSS MiB after', 'rssMiB'],
    ['server CPU s to set up', 'setUpSeconds'],
    ['server CPU s while idle', 'idleSeconds'],
  ],
  plots: [{ title: 'Resident memory of an idle connection, KiB', figure: 'kibPerConnection' }],
  cases: [
    {
      label: '5,000 connections',
      mode: 'connect',
      servers: ALL,
      isFresh: true,
      flags: ['-n', '5000', '-hold', '5', '-brokers', '1', '-topics', '10', ...V5],
      figures: {
        kibPerConnection: ['kb_per_conn'],
        rssMiB: ['server_rss_after_kb', 1 / 1024],
        setUpSeconds: ['server_cpu_s'],
        idleSeconds: ['server_cpu_s_while_idle', 1, 0],
      },
      bars: [own('kibPerConnection', 'resident KiB of a connection', 8)],
    },
  ],
};
