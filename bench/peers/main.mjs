/** `npm run bench:peers`: the name server beside Apache's and a Node server with fixed answers, and what it is to reach; see bench/README.md. */
import { machineText, partPanels, partText } from '../harness/case-report.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { parsePartOptions } from '../harness/part-options.mjs';
import { runProgram } from '../harness/program.mjs';
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

await runProgram({ name: 'bench:peers', usage, parse: parseOptions, mostMinutes: MOST_MINUTES, run: main });

function parseOptions(args) {
  return parsePartOptions(args, { parts: PARTS, rounds: 3, more: { need: { type: 'boolean', default: false } } });
}

async function main(options, tell) {
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
