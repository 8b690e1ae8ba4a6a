/** `npm run bench`: the name server beside a Node server with fixed answers; see bench/README.md. */
import { machineText, partPanels, partText } from '../harness/case-report.mjs';
import { describeMachine, describeProduct } from '../harness/machine.mjs';
import { parsePartOptions } from '../harness/part-options.mjs';
import { runProgram } from '../harness/program.mjs';
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

await runProgram({ name: 'bench', usage, parse: parseOptions, mostMinutes: MOST_MINUTES, run: main });

function parseOptions(args) {
  return parsePartOptions(args, { parts: PARTS, chosen: DEFAULT_PARTS, rounds: 5 });
}

async function main(options, tell) {
  const machine = describeMachine();
  const product = describeProduct();
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

/** A run of some parts is told from one of all. */
function nameOf(parts) {
  return parts.length === DEFAULT_PARTS.length && !parts.includes(scale)
    ? 'namesrv'
    : `namesrv-${parts.map(({ name }) => name).join('-')}`;
}
