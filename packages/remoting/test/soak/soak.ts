/**
 * Long runs of what the tests hold in short:
 *
 *   npm run soak -- SCENARIO [options]
 *
 *   calls [--count N] [--seed N] [--lanes N]   interleavings of endings of calls, against a model
 *   chaos [--minutes N] [--seed N]             twenty clients, while servers are killed, frozen, reset and moved
 *   kill [--count N]                           a server is killed while a thousand calls wait
 *   hostile [--seconds N]                      a thousand hostile peers of a server with a heap of 128 MiB
 *   heap [--count N]                           very many calls of one process: what they leave in its heap
 *   restart [--count N]                        three servers in turn under 2,000 calls a second
 *
 * Ends with 1 when something is wrong. `--write` keeps the figures in bench/results.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '@rmqns/test-kit';
import { runCalls } from './run-calls.js';
import { runChaos } from './run-chaos.js';
import { runHeap } from './run-heap.js';
import { runHostile } from './run-hostile.js';
import { runKill } from './run-kill.js';
import { runRestart } from './run-restart.js';
import { type SoakReport, type SoakScenario, say } from './soak-report.js';

const scenarios: Readonly<Record<string, SoakScenario>> = {
  calls: runCalls,
  chaos: runChaos,
  kill: runKill,
  hostile: runHostile,
  heap: runHeap,
  restart: runRestart,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string' },
      seed: { type: 'string' },
      lanes: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [name = '', ...more] = positionals;
  const scenario = scenarios[name];
  if (scenario === undefined || more.length > 0) {
    process.stderr.write(`npm run soak -- ${Object.keys(scenarios).join(' | ')} [options]\n`);
    process.exitCode = 2;
    return;
  }
  const number = (option: 'count' | 'seed' | 'lanes' | 'seconds' | 'minutes', otherwise: number): number => {
    const value = Number(values[option] ?? otherwise);
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${option} must be a number from 0`);
    return value;
  };
  // Times of a busy machine say little.
  const loadAverageAtStart = Math.round(10 * (loadavg()[0] ?? 0)) / 10;
  const began = performance.now();
  const report = await scenario(number);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  for (const [figure, value] of Object.entries(report.figures)) say(`${name}: ${figure}: ${show(value)}`);
  for (const fault of report.faults) say(`${name}: FAULT: ${fault}`);
  say(`${name}: ${report.faults.length === 0 ? 'passed' : 'failed'} in ${seconds} s`);
  if (values.write) write(name, { ...report, seconds, loadAverageAtStart });
  process.exitCode = report.faults.length === 0 ? 0 : 1;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function write(
  name: string,
  report: SoakReport & { readonly seconds: number; readonly loadAverageAtStart: number },
): void {
  const folder = join(repositoryRoot, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const stamp = new Date().toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  const path = join(folder, `soak-${name}-${stamp}.json`);
  writeFileSync(path, `${JSON.stringify({ scenario: name, node: process.version, ...report }, undefined, 1)}\n`);
  say(`${name}: wrote ${path}`);
}

await main();
