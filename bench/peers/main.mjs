/** `npm run bench:peers`: the name server beside Apache's and a Node server with fixed answers, and what it is to reach; see bench/README.md. */
import { parseArgs } from 'node:util';
import { machineText, partPanels, partText } from '../harness/case-report.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { writeResult } from '../harness/results.mjs';
import { svgPage } from '../harness/svg-plot.mjs';
import { Session } from '../namesrv/session.mjs';
import { fetchJars } from './apache.mjs';
import { barsTable, judge } from './bars.mjs';
import { measureCases } from './measure.mjs';
import { idle, lookups, mixed, registrations, stall } from './measurements.mjs';
import { buildNsload } from './nsload.mjs';
import { seeding } from './seeding.mjs';
import { OURS } from './servers.mjs';
import { start } from './start.mjs';

const PARTS = [lookups, registrations, mixed, stall, idle, start, seeding];
/** A run that takes longer has gone wrong. */
const MOST_MINUTES = 60;

const usage = `npm run bench:peers -- [options]

  --only A,B         ${PARTS.map(({ name }) => name).join(', ')} (all)
  --rounds N         of each measurement, the servers in turn within each (3)
  --server-core N    processor of the servers (0)
  --load-core N      processor of the load (1)
  --out FOLDER       where the results are written (bench/results)
  --no-write         only print them
  --need             end with 1 when a bar is missed
  --help
`;

await main();

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench:peers: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  const tell = (line) => process.stderr.write(`bench:peers: ${line}\n`);
  setTimeout(() => {
    tell(`gave up after ${MOST_MINUTES} minutes`);
    process.exit(1);
  }, MOST_MINUTES * 60_000).unref();

  const machine = describeMachine();
  const product = describeProduct();
  const session = new Session({ ...options, tell });
  session.isPinned = machine.pinned;
  const results = {};
  try {
    buildNsload();
    for (const version of ['4.9.7', '5.3.3']) fetchJars(version);
    for (const part of options.parts) {
      const began = performance.now();
      results[part.name] = { cases: await (part.measure?.(session) ?? measureCases(session, part)) };
      tell(`${part.name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
  } catch (error) {
    // A wrong or missing answer voids the run.
    tell(`failed, nothing was written: ${error.message}`);
    process.exitCode = 1;
    return;
  }

  const judged = options.parts.flatMap(({ name }) => results[name].cases.flatMap((each) => judge(OURS, each)));
  const text = reportText({ machine, product, options, results, judged });
  process.stdout.write(`${text}\n`);
  if (options.writes) {
    const panels = options.parts.flatMap((part) => partPanels(part, results[part.name]));
    const subtitle = `rmqns ${product}; Node ${machine.node}; ${machine.processors}`;
    const plot = svgPage({ title: 'rmqns beside Apache RocketMQ', subtitle, panels });
    const figures = { machine, product, rounds: options.rounds, judged, results };
    const name =
      options.parts.length === PARTS.length ? 'peers' : `peers-${options.parts.map((part) => part.name).join('-')}`;
    for (const path of writeResult({ name, folder: options.out, figures, text, plot })) tell(`wrote ${path}`);
  }
  if (options.needs && judged.some(({ holds }) => !holds)) process.exitCode = 1;
}

function reportText({ machine, product, options, results, judged }) {
  return [
    "# The name server beside Apache's",
    '',
    machineText(machine, product),
    '',
    `${options.rounds} rounds, the servers in turn within each, after a warm-up that is not counted; figures are the median of the rounds with the least and the most, ` +
      "ratios the median of the rounds' own. The load is `nsload`, in Go. Every answer's code is checked, and a sample of routes broker by broker; a wrong " +
      "or missing answer would have voided the run. CPU is that of the server's whole process. Apache's runs with the memory, collector and log that it is " +
      'shipped with, all of it on the one processor; "fixed answers" is a plain Node server that decodes nothing, see bench/README.md.',
    '',
    '## What is to be reached',
    '',
    barsTable(judged),
    '',
    "That the loss of a broker costs in proportion to that broker's topics is shown by `npm run bench -- --only loss`.",
    ...options.parts.flatMap((part) => ['', partText(part, results[part.name])]),
  ].join('\n');
}

/** @throws Error that says what is wrong with the arguments */
function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: PARTS.map(({ name }) => name).join(',') },
      rounds: { type: 'string', default: '3' },
      'server-core': { type: 'string', default: '0' },
      'load-core': { type: 'string', default: '1' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
      need: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const parts = values.only.split(',').map((name) => {
    const part = PARTS.find((each) => each.name === name);
    if (part === undefined) throw new Error(`there is no part ${name}: ${PARTS.map((each) => each.name).join(', ')}`);
    return part;
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a number from 1');
  return {
    parts,
    rounds,
    serverCore: Number(values['server-core']),
    loadCore: Number(values['load-core']),
    out: values.out,
    writes: !values['no-write'],
    needs: values.need,
    help: values.help,
  };
}
