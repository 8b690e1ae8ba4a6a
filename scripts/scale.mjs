// Writes docs/scale.md out of its template and the newest result of `npm run bench -- --only scale`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const results = join(root, 'bench/results');
const newest = readdirSync(results)
  .filter((name) => /^namesrv-scale-\d+-\d+\.json$/.test(name))
  .sort()
  .at(-1);
if (newest === undefined) throw new Error('there is no result: run npm run bench -- --only scale');
const { machine, product, results: measured } = JSON.parse(readFileSync(join(results, newest), 'utf8'));
const { fits, points } = measured.scale;

/** What is assumed of a very large system. */
const CLIENTS = 1_000_000;
const BROKERS = 1_000;
const TOPICS = 1_000_000;
const BROKERS_OF_A_TOPIC = 8;
const TOPICS_OF_A_CLIENT = 5;
const PERIOD_SECONDS = 30;
const CHANGED_SHARE = 0.05;
const EMPTY_MIB = 70;
const NAME_SERVERS = [4, 8, 16, 32];
const WORKERS = [1, 2, 4, 8, 14];
const SHARE_OF_A_CORE = 0.7;

const parts = {
  run:
    `[\`${newest.replace('.json', '.md')}\`](../bench/results/${newest.replace('.json', '.md')}): rmqns ${product}, Node ${machine.node}, ${machine.processors}, ` +
    `one processor for the server, load average at the start ${machine.loadAverageAtStart}`,
  fits: fitsTable(),
  assumptions: assumptions(),
  paper: paperTable(),
  cores: coresTable(),
};
const template = readFileSync(join(root, 'docs/scale.template.md'), 'utf8');
const notice = '<!-- Written by `npm run docs:scale`; change docs/scale.template.md or measure anew. -->';
const page = template.replace(/<!-- (run|fits|assumptions|paper|cores) -->/g, (_marker, part) => parts[part]);
writeFileSync(join(root, 'docs/scale.md'), `${notice}\n\n${page}`);

function fitsTable() {
  const rows = Object.entries(fits).map(([key, { base, each, error }]) => {
    const [grows, cost] = key.split(/: (.*)/);
    const sizes = sizesOf(grows, cost);
    return [grows, cost, sizes, line(base, each), `${Math.round(100 * error)} %`];
  });
  return table(['What grows', 'Cost', 'Measured at', 'Line', 'Within'], rows);
}

function sizesOf(grows, cost) {
  const kind = /registration, (\w+)/.exec(cost)?.[1];
  const own = kind === undefined ? points[grows] : points[`registrations ${kind}`];
  return own.map(({ x }) => x.toLocaleString('en')).join(', ');
}

function assumptions() {
  return [
    `${capitalized(millions(CLIENTS))} clients, ${BROKERS.toLocaleString('en')} brokers, ${millions(TOPICS)} topics on ${BROKERS_OF_A_TOPIC} brokers each. A client asks for the route of each topic that it uses every ` +
      `${PERIOD_SECONDS} s, as the Java client does; ${TOPICS_OF_A_CLIENT} topics, with those of retries, makes ${Math.round(lookupsPerSecond()).toLocaleString('en')} lookups a second in all. It keeps one connection, to one name server. A ` +
      `broker registers its ${topicsOfABroker().toLocaleString('en')} topics with every name server each ${PERIOD_SECONDS} s, ${100 * CHANGED_SHARE} % of the times with something changed.`,
  ].join('\n');
}

function paperTable() {
  const perKib = 1024 * 1024;
  const lookupMicros = dearest('clients') + rise('topics');
  const unchanged = at('topics of a broker: server CPU of a registration, unchanged, ms', topicsOfABroker());
  const changed = at('topics of a broker: server CPU of a registration, changed, ms', topicsOfABroker());
  const registrations = BROKERS / PERIOD_SECONDS;
  const registrationCores = (registrations * ((1 - CHANGED_SHARE) * unchanged + CHANGED_SHARE * changed)) / 1000;
  const answerBytes = at('brokers of a topic: bytes of an answer', BROKERS_OF_A_TOPIC);
  const bodyKib = bodyKibPerTopic() * topicsOfABroker();
  const rows = NAME_SERVERS.map((count) => {
    const connections = CLIENTS / count + BROKERS;
    const lookups = lookupsPerSecond() / count;
    const lookupCores = (lookups * lookupMicros) / 1e6;
    const memoryGib =
      (EMPTY_MIB * 1024 +
        connections * fits['clients: memory, KiB'].each +
        BROKERS * fits['brokers: memory, KiB'].each +
        TOPICS * fits['topics: memory, KiB'].each) /
      perKib;
    return [
      String(count),
      Math.round(connections).toLocaleString('en'),
      Math.round(lookups).toLocaleString('en'),
      lookupCores.toFixed(2),
      registrations.toFixed(0),
      registrationCores.toFixed(2),
      (lookupCores + registrationCores).toFixed(2),
      `${memoryGib.toFixed(1)} GiB`,
      `${((lookups * answerBytes) / 1e6).toFixed(0)} MB/s`,
      `${((registrations * bodyKib * 1024 + lookups * 200) / 1e6).toFixed(0)} MB/s`,
    ];
  });
  const heads = [
    'Name servers',
    'Connections each',
    'Lookups/s each',
    'Cores for them',
    'Registrations/s each',
    'Cores for them',
    'Cores',
    'Memory',
    'Out',
    'In, JSON',
  ];
  const note =
    `A lookup at ${lookupMicros.toFixed(1)} µs, a registration of ${topicsOfABroker().toLocaleString('en')} topics at ${unchanged.toFixed(1)} ms unchanged and ${changed.toFixed(1)} ms changed, an answer of ` +
    `${Math.round(answerBytes).toLocaleString('en')} bytes, a registration of ${(bodyKib / 1024).toFixed(1)} MiB.`;
  return `${table(heads, rows)}\n\n${note}`;
}

function coresTable() {
  const busy = median(points.brokers.at(0).samples);
  const single = dearest('clients') + rise('topics');
  const perSecond = (workers, micros) => Math.round((workers * SHARE_OF_A_CORE * 1e6) / micros / 1000) * 1000;
  const rows = WORKERS.map((workers) => [
    workers === 1 ? '1 (no workers)' : String(workers),
    ...[busy, single].map((micros) => perSecond(workers, micros).toLocaleString('en')),
  ]);
  const heads = ['Workers', `Many at once, ${busy.toFixed(1)} µs`, `One at a time, ${single.toFixed(1)} µs`];
  return table(heads, rows);
}

/** Median CPU of a lookup at the largest size. */
function dearest(dimension) {
  return Math.max(...points[dimension].map(({ samples }) => median(samples)));
}

/** How much dearer a lookup is at the largest size than at the smallest. */
function rise(dimension) {
  const [least, most] = [points[dimension].at(0), points[dimension].at(-1)].map(({ samples }) => median(samples));
  return Math.max(0, most - least);
}

function median(samples) {
  const sorted = samples.map(({ serverMicros }) => serverMicros).sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function bodyKibPerTopic() {
  const { x, samples } = points['registrations unchanged'].at(-1);
  return samples[0].bodyKib / x;
}

function at(fit, x) {
  return fits[fit].base + fits[fit].each * x;
}

function lookupsPerSecond() {
  return (CLIENTS * TOPICS_OF_A_CLIENT) / PERIOD_SECONDS;
}

function topicsOfABroker() {
  return (TOPICS * BROKERS_OF_A_TOPIC) / BROKERS;
}

function millions(count) {
  return count === 1_000_000 ? 'a million' : `${count / 1_000_000} million`;
}

function line(base, each) {
  return `${figure(base)} ${each < 0 ? '−' : '+'} ${figure(Math.abs(each))} x`;
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Three digits, without an exponent. */
function figure(value) {
  return value.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: true });
}

function table(heads, rows) {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
