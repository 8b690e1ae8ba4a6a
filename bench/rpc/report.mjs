import { markdownTable, median, short, spread } from '../harness/results.mjs';
import { LOADS } from './loads.mjs';

const COLUMNS = [
  ['req/s', 'requestsPerSecond'],
  ['server µs', 'serverMicros'],
  ['client µs', 'clientMicros'],
  ['p50 µs', 'p50Micros'],
  ['p99 µs', 'p99Micros'],
  ['p99.9 µs', 'p999Micros'],
  ['RSS MiB', 'rssMiB'],
  ['loop p99 ms', 'delayP99Millis'],
];

const FIGURE_NAMES = {
  serverMicros: 'server CPU',
  requestsPerSecond: 'requests per second',
  p50Micros: 'median latency',
};

/** The whole result as Markdown. */
export function reportText({ machine, product, options, peers, versions, shapesOf, samplesOf, bars }) {
  const lines = [
    '# RPC benchmark',
    '',
    `@rmqns/remoting ${product}; ${versions}.`,
    `Node ${machine.node} on ${machine.system}, ${machine.processors}, ${machine.memoryGiB} GiB; load average at the start ${machine.loadAverageAtStart}.`,
    '',
    ...methodText(machine, options),
  ];
  for (const load of options.loads) {
    for (const shape of shapesOf(load)) {
      lines.push(
        '',
        `## ${load}, ${shape}`,
        '',
        `${capitalized(LOADS[load].about)}.`,
        '',
        tableOf(load, shape, peers, samplesOf),
      );
      const failed = failures(load, shape, peers, samplesOf);
      if (failed.length > 0) lines.push('', ...failed);
    }
  }
  if (bars.length > 0) lines.push('', '## Bars', '', barsText(bars));
  const better = whatOthersDoBetter(options.loads, shapesOf, peers, samplesOf);
  if (better.length > 0) lines.push('', '## Where another was ahead of all of ours', '', ...better);
  lines.push('', '## What the others have that this has not', '', ...ADVANTAGES);
  return lines.join('\n');
}

function methodText(machine, { rounds, seconds, warmupSeconds, warmupCalls, serverCore, clientCore }) {
  const pinned = machine.pinned
    ? `The server is pinned to processor ${serverCore}, the client with the load to ${clientCore}`
    : 'Server and client are NOT pinned to a processor here';
  return [
    `${pinned}, each in a process of its own that is new for each round, peer and load. ${rounds} rounds, the peers in turn within each; ` +
      `${seconds} s measured after a warm-up of ${warmupSeconds} s and ${warmupCalls} calls (three times that time at most). A shape is ` +
      'connections x calls in flight on each (closed loop). Every answer is checked for length, first and last, and each 256th whole. ' +
      "CPU is that of the whole process over exactly the calls measured; the client's includes the load and the checks. Figures are the " +
      'median of the rounds with the least and the most; ratios the median of the ratios within a round. JSON speakers carry a text of as ' +
      'many letters, the others bytes.',
  ];
}

function tableOf(load, shape, peers, samplesOf) {
  if (LOADS[load].kind === 'idle') {
    return markdownTable(
      ['peer', 'KiB a connection', 'RSS MiB'],
      peers.map((peer) => {
        const samples = samplesOf(load, shape, peer);
        return [peer, spread(samples.map((s) => s.kibPerConnection)), spread(samples.map((s) => s.rssMiB))];
      }),
    );
  }
  const hasBare = peers.includes('bare');
  const head = ['peer', ...COLUMNS.map(([title]) => title), ...(hasBare ? ['server CPU / bare'] : [])];
  const rows = peers.map((peer) => {
    const samples = samplesOf(load, shape, peer);
    const cells = COLUMNS.map(([, figure]) => spread(samples.map((sample) => sample[figure])));
    return [peer, ...cells, ...(hasBare ? [ratioToBare(load, shape, samples, samplesOf)] : [])];
  });
  return markdownTable(head, rows);
}

function ratioToBare(load, shape, samples, samplesOf) {
  const bare = samplesOf(load, shape, 'bare');
  return spread(samples.map((sample, round) => sample.serverMicros / bare[round]?.serverMicros));
}

function failures(load, shape, peers, samplesOf) {
  return peers.flatMap((peer) => {
    const errors = samplesOf(load, shape, peer).flatMap(({ error, skipped }) => error ?? skipped ?? []);
    return errors.length === 0 ? [] : [`- ${peer}: ${[...new Set(errors)].join('; ')}`];
  });
}

function barsText(bars) {
  return markdownTable(
    ['', 'bar', 'shape', 'measured'],
    bars.map(({ name, other, figure, operator, limit, shape, ratio, min, max, holds }) => [
      holds ? 'pass' : 'MISS',
      `${name}: ${FIGURE_NAMES[figure]} ${operator} ${limit} x ${other}`,
      shape,
      `${short(ratio)} (${short(min)}-${short(max)})`,
    ]),
  );
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Named in the result, so that nobody has to look for it. */
function whatOthersDoBetter(loads, shapesOf, peers, samplesOf) {
  const figures = [
    ['requestsPerSecond', 'requests per second', (a, b) => a > b],
    ['serverMicros', 'server CPU', (a, b) => a < b],
    ['clientMicros', 'client CPU', (a, b) => a < b],
    ['p50Micros', 'median latency', (a, b) => a < b],
    ['p99Micros', 'p99 latency', (a, b) => a < b],
    ['rssMiB', 'memory', (a, b) => a < b],
    ['kibPerConnection', 'memory of a connection', (a, b) => a < b],
  ];
  const isOurs = (peer) => peer.startsWith('rmqns');
  const others = peers.filter((peer) => !isOurs(peer) && peer !== 'bare');
  const lines = [];
  for (const load of loads) {
    for (const shape of shapesOf(load)) {
      for (const [figure, title, isBetter] of figures) {
        const of = (peer) => median(samplesOf(load, shape, peer).flatMap((sample) => sample[figure] ?? []));
        const ours = peers.filter(isOurs).map(of).filter(Number.isFinite);
        if (ours.length === 0) continue;
        const ahead = others.filter((peer) => ours.every((value) => isBetter(of(peer), value)));
        if (ahead.length > 0) lines.push(`- ${load} ${shape}, ${title}: ${ahead.join(', ')}.`);
      }
    }
  }
  return lines;
}

const ADVANTAGES = [
  '- grpc-js: streams with flow control of their own, deadlines and cancellation that travel, clients in every language.',
  '- rsocket: streams with demand, leases, one connection that both sides call over, resumption.',
  "- Moleculer: discovery by gossip, balancing and circuit breakers, a registry of everyone's actions.",
  '- NestJS: dependency injection, guards, pipes, and ten more transports under one model.',
  '- vscode-jsonrpc: messages a person can read, cancellation and progress in the protocol.',
  '- sofa-rpc-node: registries, and the services of a Java estate that speaks Bolt.',
];
