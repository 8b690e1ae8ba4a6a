import type { ApacheProcesses, ApacheVersion } from '@rmqns/test-kit';
import { generateSteps } from './generate-steps.js';
import { type Mismatch, type Played, playBoth } from './play-both.js';
import { Random } from './random.js';
import { type ServerSettings, startServerPair } from './servers.js';
import { shrink, shrinkByKind } from './shrink.js';
import { isRequest, type Step } from './step.js';

/** What to try. */
export interface DifferentialOptions {
  readonly version: ApacheVersion;
  readonly seed: number;
  readonly steps: number;
  /** How often servers are started to make a failing sequence short. Default 60. */
  readonly maxShrinkRuns?: number | undefined;
}

const DEFAULT_MAX_SHRINK_RUNS = 80;
const READING = new Set([105, 106, 206, 224, 304, 311, 312, 313, 322, 901, 904]);
const KV = new Set([100, 101, 102, 219]);

/** Plays the sequence of a seed to fresh servers. Fails with the shortest sequence found for the first difference that is not meant. */
export async function runDifferential(apache: ApacheProcesses, options: DifferentialOptions): Promise<Played> {
  const { version, seed, steps: count } = options;
  const settings = settingsOf(version, seed);
  const steps = generateSteps(version, seed, count);
  const played = await playFresh(apache, version, settings, steps);
  if (played.mismatch === undefined) return played;
  const { mismatch } = played;
  let last = mismatch;
  const stillFails = async (candidate: readonly Step[]): Promise<boolean> => {
    const again = (await playFresh(apache, version, settings, candidate)).mismatch;
    if (again === undefined || kindOf(again) !== kindOf(mismatch)) return false;
    last = again;
    return true;
  };
  const budget = { runs: options.maxShrinkRuns ?? DEFAULT_MAX_SHRINK_RUNS };
  let short: readonly Step[] = steps.slice(0, mismatch.index + 1);
  short = await shrinkByKind(short, whatItChanges, stillFails, budget);
  short = await shrink(short, stillFails, budget);
  throw new Error(describe(options, settings, short, last));
}

/** Plays steps to fresh servers. */
export async function playFresh(
  apache: ApacheProcesses,
  version: ApacheVersion,
  settings: ServerSettings,
  steps: readonly Step[],
): Promise<Played> {
  await using pair = await startServerPair(apache, version, settings);
  return await playBoth(pair, version, steps);
}

/** How the servers of a seed are set. */
export function settingsOf(version: ApacheVersion, seed: number): ServerSettings {
  const random = new Random(seed ^ 0x5e77);
  const on = (name: string): ServerSettings => (random.once(2) ? { [name]: 'true' } : {});
  if (version !== '5.3.3') return on('orderMessageEnable');
  return {
    ...on('orderMessageEnable'),
    ...on('supportActingMaster'),
    ...(random.once(3) ? { deleteTopicWithBrokerRegistration: 'true' } : {}),
    ...(random.once(6) ? { returnOrderTopicConfigToBroker: 'false' } : {}),
    // What is to expire does so soon, and a server that waits does so for longer than any run takes.
    scanNotActiveBrokerInterval: '50',
    waitSecondsForService: '100000',
  };
}

/** Steps that go together: those that only ask, KV, each broker group with its connections, and the rest by code. */
function whatItChanges(step: Step): string {
  if (!isRequest(step)) return 'closes';
  if (READING.has(step.code)) return 'reads';
  if (KV.has(step.code)) return 'KV';
  return step.extFields?.['brokerName'] ?? String(step.code);
}

/** A shorter sequence must fail in the same way, not in another. */
function kindOf({ step, theirs, ours }: Mismatch): string {
  const members = [...Object.keys(theirs), ...Object.keys(ours)].map((path) => path.split('.').slice(0, 2).join('.'));
  return `${isRequest(step) ? step.code : 'close'} ${[...new Set(members)].sort().join()}`;
}

function describe(
  { version, seed, steps }: DifferentialOptions,
  settings: ServerSettings,
  short: readonly Step[],
  { theirs, ours }: Mismatch,
): string {
  return [
    `${version} answers otherwise than ours. To see it again: npm run test:differential -- --version ${version} --steps ${steps} --seed ${seed}`,
    `Settings: ${JSON.stringify(settings)}`,
    `Theirs: ${JSON.stringify(theirs)}`,
    `Ours:   ${JSON.stringify(ours)}`,
    `The shortest sequence found, ${short.length} steps, for --replay FILE; the last one differs:`,
    ...short.map((step) => JSON.stringify(step)),
  ].join('\n');
}
