/** `npm run bench:agent`: what a round of registrations costs, and what many agents do to a name server; see bench/README.md. */
import { parseArgs } from 'node:util';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { markdownTable, median, short, spread, writeResult } from '../harness/results.mjs';
import { measureFleet } from './fleet.mjs';
import { startNameServer } from './name-servers.mjs';
import { measureRounds } from './one-round.mjs';

const NAME_SERVERS = 3;
const STEADY_MILLIS = 30_000;

const usage = `npm run bench:agent -- [options]

  --topics N     of the one agent (10000)
  --rounds N     measured, after 3 that are not (9)
  --fleet N      agents at once with 100 topics each, for about a minute (0: none)
  --jitter N     percent of the interval by which chance may lengthen their wait for a lost name server (10)
  --out FOLDER   where the result is written (bench/results)
  --no-write     only print it
  --help
`;

await main();

async function main() {
  const { values } = parseArgs({
    options: {
      topics: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '9' },
      fleet: { type: 'string', default: '0' },
      jitter: { type: 'string', default: '10' },
      out: { type: 'string' },
      'no-write': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const [topics, rounds, fleet, jitter] = [values.topics, values.rounds, values.fleet, values.jitter].map(Number);
  const machine = describeMachine();
  const product = describeProduct();
  const servers = await Promise.all(Array.from({ length: NAME_SERVERS }, () => startNameServer()));
  try {
    const cases = [];
    for (const compressed of [false, true])
      for (const changing of [true, false])
        cases.push({
          compressed,
          changing,
          samples: await measureRounds({ servers, topics, rounds, compressed, changing }),
        });
    const many =
      fleet > 0
        ? await measureFleet({ servers, agents: fleet, topics: 100, steadyMillis: STEADY_MILLIS, jitter: jitter / 100 })
        : undefined;
    const figures = { machine, product, topics, rounds, cases, fleet: many && { agents: fleet, jitter, ...many } };
    const text = reportText({ machine, product, topics, rounds, cases, fleet, jitter, many });
    process.stdout.write(`${text}\n`);
    if (values['no-write']) return;
    for (const path of writeResult({ name: 'agent', folder: values.out, figures, text }))
      process.stderr.write(`bench:agent: wrote ${path}\n`);
  } finally {
    await Promise.all(servers.map((server) => server.end()));
  }
}

function reportText({ machine, product, topics, rounds, cases, fleet, jitter, many }) {
  const rows = cases.map(({ compressed, changing, samples }) => [
    `${compressed ? 'deflated' : 'plain'}, ${changing ? 'another data version each time' : 'the same table'}`,
    spread(samples.map(({ millis }) => millis)),
    short(median(samples.map(({ bytes }) => bytes)) / 1024),
    spread(samples.map(({ agentCpuMillis }) => agentCpuMillis)),
    spread(samples.map(({ serverCpuMillis }) => serverCpuMillis)),
  ]);
  return [
    '# What registering costs',
    '',
    `rmqns ${product}. Node ${machine.node} on ${machine.system}, ${machine.processors}; load average at the start ${machine.loadAverageAtStart}.`,
    '',
    `One agent with ${topics} topics and ${NAME_SERVERS} name servers, each in a process of its own; ${rounds} rounds.`,
    '',
    markdownTable(
      ['a round', 'ms until all answered', 'KiB sent to all', "agent's CPU ms", "a name server's CPU ms"],
      rows,
    ),
    ...(many === undefined ? [] : fleetText(fleet, jitter, many)),
  ].join('\n');
}

function fleetText(agents, jitter, { steadyCores, cameMillis }) {
  const at = (share) => cameMillis[Math.min(cameMillis.length - 1, Math.floor(share * cameMillis.length))];
  const rows = [
    ['a name server while nothing changes, % of a core (bar: < 5)', spread(steadyCores.map((cores) => 100 * cores))],
    ['first agent back after a restart, ms', short(at(0))],
    ['half of them, ms', short(at(0.5))],
    ['nine of ten, ms', short(at(0.9))],
    ['all, ms (bar: < 2000)', short(at(1))],
    ['the most within 100 ms', String(peakWithin(100, cameMillis))],
  ];
  return [
    '',
    `${agents} agents in one process, 100 topics each, a round every 30 s, a reconnect jitter of ${jitter} % of that:`,
    '',
    markdownTable(['', ''], rows),
  ];
}

/** How many of these ascending times fall into the fullest window of so many milliseconds. */
function peakWithin(windowMillis, times) {
  let peak = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last] - times[first] >= windowMillis) first++;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}
