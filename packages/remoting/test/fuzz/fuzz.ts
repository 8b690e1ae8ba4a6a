/**
 * Throws mutated real frames at the decoder, at a live server, while good clients go on calling it, and at clients that call a bad server.
 *
 *   npm run fuzz -- [--seconds N] [--seed N] [--input HEX]
 *
 * The seed is printed; the same seed makes the same inputs in the same order. `--input` tries one input, in pieces of one byte and whole.
 * Ends with 1 when something is wrong, and says what, with the shortest input that shows it as hex.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { expectNoLeaks } from '../../src/testing.js';
import { clientFault } from './client-target.js';
import { decoderFault, minimise } from './decoder-target.js';
import { type FuzzInput, loadSeedFrames, makeInput } from './mutations.js';
import { attack, connectionsGone, goodCall, startFuzzedServer } from './server-target.js';

const DECODED_PER_ROUND = 400;
const BAD_SERVERS_PER_ROUND = 8;
const ATTACKS_PER_ROUND = 16;
const GOOD_CALLS_PER_ROUND = 16;
/** Rounds after which caches, pools and compiled code have their size. */
const WARM_UP_ROUNDS = 20;
const HEAP_BOUND_BYTES = 8 * 1024 * 1024;
const SHOWN_BYTES = 4096;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Report {
  decoded: number;
  attacks: number;
  goodCalls: number;
  badServers: number;
  readonly faults: string[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seconds: { type: 'string' }, seed: { type: 'string' }, input: { type: 'string' } },
  });
  const report: Report = { decoded: 0, attacks: 0, goodCalls: 0, badServers: 0, faults: [] };
  /** What is under way, to be told when the process fails in a way that nobody catches. */
  const underWay = new Set<FuzzInput>();
  const onUncaught = (error: unknown): void => {
    report.faults.push(
      `uncaught: ${error instanceof Error ? error.stack : String(error)}\n${[...underWay].map(hex).join('\n')}`,
    );
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);

  if (values.input !== undefined) {
    await runOne(report, underWay, { bytes: Buffer.from(values.input, 'hex'), chunkBytes: [1] });
  } else {
    const seconds = numberOf('seconds', values.seconds ?? '10');
    const seed = numberOf('seed', values.seed ?? String(Date.now() % 1_000_000_007));
    say(`fuzz: seed ${seed}, ${seconds} s; again with: npm run fuzz -- --seconds ${seconds} --seed ${seed}`);
    try {
      await expectNoLeaks(() => runMany(report, underWay, seed, seconds));
    } catch (error) {
      report.faults.push(`left behind or ended early: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  finish(report);
}

async function runMany(report: Report, underWay: Set<FuzzInput>, seed: number, seconds: number): Promise<void> {
  const frames = loadSeedFrames();
  const endMillis = performance.now() + seconds * 1000;
  let heapBefore: number | undefined;
  {
    await using pair = await startFuzzedServer();
    for (
      let round = 0;
      report.faults.length === 0 && (performance.now() < endMillis || round <= WARM_UP_ROUNDS);
      round++
    ) {
      if (round === WARM_UP_ROUNDS) heapBefore = await heapBytes();
      // Each round has a stream of its own, so that how long it took changes no input of the next.
      const random = new SeededRandom(seed + round * 7919);
      for (let i = 0; i < DECODED_PER_ROUND && report.faults.length === 0; i++)
        decodeOne(report, makeInput(random, frames));
      const inputs = Array.from({ length: ATTACKS_PER_ROUND }, () => makeInput(random, frames));
      for (const input of inputs) underWay.add(input);
      const attacks = inputs.map((input, i) => attack(pair, new SeededRandom(seed + round * 7919 + i), input));
      const calls = Array.from({ length: GOOD_CALLS_PER_ROUND }, () => goodCall(pair, random));
      try {
        await Promise.all([...attacks, ...calls]);
        await connectionsGone(pair);
      } catch (error) {
        report.faults.push(`live server, round ${round}: ${String(error)}\n${inputs.map(hex).join('\n')}`);
      }
      for (let i = 0; i < BAD_SERVERS_PER_ROUND && report.faults.length === 0; i++) {
        const fault = await clientFault(new SeededRandom(seed + round * 7919 + 1_000 + i), frames);
        if (fault !== undefined) report.faults.push(`client, round ${round}, bad server ${i}: ${fault}`);
      }
      report.badServers += BAD_SERVERS_PER_ROUND;
      underWay.clear();
      report.attacks += attacks.length;
      report.goodCalls += calls.length;
    }
  }
  if (heapBefore === undefined) return;
  const grown = (await heapBytes()) - heapBefore;
  say(`fuzz: memory ${grown >= 0 ? 'grew' : 'shrank'} by ${Math.abs(Math.round(grown / 1024))} KiB after the warm-up`);
  if (grown > HEAP_BOUND_BYTES) report.faults.push(`memory grew by ${grown} bytes`);
}

function decodeOne(report: Report, input: FuzzInput): void {
  report.decoded++;
  const fault = decoderFault(input);
  if (fault === undefined) return;
  const shortest = minimise(input, (shorter) => decoderFault(shorter) !== undefined);
  report.faults.push(`decoder: ${decoderFault(shortest) ?? fault}\n${hex(shortest)}`);
}

async function runOne(report: Report, underWay: Set<FuzzInput>, input: FuzzInput): Promise<void> {
  decodeOne(report, input);
  underWay.add(input);
  await using pair = await startFuzzedServer();
  const random = new SeededRandom(1);
  await goodCall(pair, random);
  for (const chunkBytes of [[1], [input.bytes.length + 1]])
    await attack(pair, random, { bytes: input.bytes, chunkBytes });
  await connectionsGone(pair);
  await goodCall(pair, random);
  report.attacks += 2;
  report.goodCalls += 2;
}

/** Everything that is held: objects, and the bytes of buffers outside of the heap. */
async function heapBytes(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('run with --expose-gc');
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}

function hex({ bytes, chunkBytes }: FuzzInput): string {
  const rest = bytes.length > SHOWN_BYTES ? `… and ${bytes.length - SHOWN_BYTES} bytes more` : '';
  return `  in pieces of ${chunkBytes.join(',')}: --input ${bytes.subarray(0, SHOWN_BYTES).toString('hex')}${rest}`;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be an integer from 0, not ${text}`);
  return value;
}

function finish({ decoded, attacks, goodCalls, badServers, faults }: Report): void {
  say(`fuzz: ${decoded} inputs decoded, ${attacks} connections attacked, ${goodCalls} good calls answered meanwhile`);
  say(`fuzz: ${badServers} bad servers called`);
  for (const fault of faults) say(`fuzz: FAULT: ${fault}`);
  const passed = faults.length === 0 ? 1 : 0;
  const failed = faults.length;
  say(`${passed} passed, ${failed} failed`);
  const file = process.env['RMQNS_TEST_COUNT'];
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ passed, failed, pending: 0, failures: faults })}\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
