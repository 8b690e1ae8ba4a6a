import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ApacheProcesses, type ApacheVersion, apacheVersions } from '@rmqns/test-kit';
import { playFresh, runDifferential, settingsOf } from './differential.js';
import { runOdd } from './odd/run-odd.js';
import type { Step } from './step.js';

const usage = `Usage: npm run test:differential -- [--version V] [--steps N] [--seed N] [--replay FILE | --odd]

Plays a random sequence of requests to Apache's name server and to ours and compares the answers. Without --version: to 4.7.1, 4.9.7 and
5.3.3. FILE holds steps as a failure prints them, one a line; they are played with the settings of the seed. With --odd: N scenarios
of requests that no library writes, each with names of its own.
`;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    replay: { type: 'string' },
    odd: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const versions = apacheVersions.filter((version) => values.version === undefined || values.version === version);
const [steps, seed] = [Number(values.steps), Number(values.seed)];
if (values.help || versions.length === 0 || !Number.isSafeInteger(steps) || !Number.isSafeInteger(seed)) {
  process.stdout.write(usage);
  process.exitCode = values.help ? 0 : 64;
} else {
  await using apache = new ApacheProcesses();
  for (const version of versions) await (values.odd ? runOddly(apache, version) : run(apache, version));
}

async function run(apache: ApacheProcesses, version: ApacheVersion): Promise<void> {
  const started = performance.now();
  await apache.fetch(version);
  try {
    const played =
      values.replay === undefined
        ? await runDifferential(apache, { version, steps, seed })
        : await playFresh(apache, version, settingsOf(version, seed), readSteps(values.replay));
    if (played.mismatch !== undefined) throw new Error(JSON.stringify(played.mismatch, undefined, 1));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const rules = [...played.deliberate].map(([rule, times]) => `${rule} ${times}`).join(', ');
    process.stdout.write(
      `${version}: ${steps} steps of seed ${seed} answered alike in ${seconds} s (${rules || 'no rule'})\n`,
    );
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function runOddly(apache: ApacheProcesses, version: ApacheVersion): Promise<void> {
  await apache.fetch(version);
  try {
    const rules = [...(await runOdd(apache, { version, seed, count: steps }))].map((entry) => entry.join(' '));
    process.stdout.write(
      `${version}: ${steps} scenarios of seed ${seed} ended alike (${rules.join(', ') || 'no rule'})\n`,
    );
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function readSteps(file: string): Step[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Step);
}
