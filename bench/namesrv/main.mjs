/** `npm run bench`: the name server beside a Node server with fixed answers; see bench/README.md. */
import { parseArgs } from 'node:util';
import { machineText, partPanels, partText } from '../harness/case-report.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { writeResult } from '../harness/results.mjs';
import { svgPage } from '../harness/svg-plot.mjs';
import { idle } from './parts/idle.mjs';
import { lookups } from './parts/lookups.mjs';
import { loss } from './parts/loss.mjs';
import { mixed } from './parts/mixed.mjs';
import { registrations } from './parts/registrations.mjs';
import { scale } from './parts/scale.mjs';
import { stall } from './parts/stall.mjs';
import { start } from './parts/start.mjs';
import { Session } from './session.mjs';

const PARTS = [lookups, registrations, mixed, stall, idle, start, loss, scale];
const DEFAULT_PARTS = PARTS.filter((part) => part !== scale);
/** A run that takes longer has gone wrong. */
const MOST_MINUTES = 30;

const usage = `npm run bench -- [options]

  --only A,B         ${PARTS.map(({ name }) => name).join(', ')} (all but scale)
  --rounds N         of each measurement, the servers in turn within each (5)
  --server-core N    processor of the server (0)
  --load-core N      processor of the load (1)
  --out FOLDER       where the results are written (bench/results)
  --no-write         only print them
  --help
`;

await main();

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  const machine = describeMachine();
  const product = describeProduct();
  const tell = (line) => process.stderr.write(`bench: ${line}\n`);
  setTimeout(() => {
    tell(`gave up after ${MOST_MINUTES} minutes`);
    process.exit(1);
  }, MOST_MINUTES * 60_000).unref();

  const session = new Session({ ...options, tell });
  const results = {};
  try {
    for (const part of options.parts) {
      const began = performance.now();
      results[part.name] = await part.run(session);
      tell(`${part.name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
  } catch (error) {
    // A wrong or missing answer voids the run.
    tell(`failed, nothing was written: ${error.message}`);
    process.exitCode = 1;
    return;
  } finally {
    await session.endAll();
  }

  const text = [
    '# The name server beside a Node server with fixed answers',
    '',
    machineText(machine, product),
    '',
    `${options.rounds} rounds at most, the servers in turn within each; figures are the median of the rounds with the least and the most, ratios the median of ` +
      "the rounds' own. Every answer is checked; one that is wrong or missing would have voided the run. CPU is that of the server's whole process. " +
      '"fixed answers" is what Node costs when it does nothing but find frames, and compute the checksums of registrations.',
    ...options.parts.flatMap((part) => ['', partText(part, results[part.name])]),
  ].join('\n');
  process.stdout.write(`${text}\n`);
  if (!options.writes) return;
  const panels = options.parts.flatMap((part) => partPanels(part, results[part.name]));
  const subtitle = `rmqns ${product}; Node ${machine.node}; ${machine.processors}`;
  const plot = svgPage({ title: 'rmqns name server', subtitle, panels });
  const figures = { machine, product, rounds: options.rounds, results };
  for (const path of writeResult({ name: nameOf(options.parts), folder: options.out, figures, text, plot }))
    tell(`wrote ${path}`);
}

/** @throws Error that says what is wrong with the arguments */
function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: DEFAULT_PARTS.map(({ name }) => name).join(',') },
      rounds: { type: 'string', default: '5' },
      'server-core': { type: 'string', default: '0' },
      'load-core': { type: 'string', default: '1' },
      out: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
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
    help: values.help,
  };
}

/** A run of some parts is told from one of all. */
function nameOf(parts) {
  return parts.length === DEFAULT_PARTS.length && !parts.includes(scale)
    ? 'namesrv'
    : `namesrv-${parts.map(({ name }) => name).join('-')}`;
}
