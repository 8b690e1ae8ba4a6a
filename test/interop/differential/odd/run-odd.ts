import { isDeepStrictEqual } from 'node:util';
import type { ApacheProcesses, ApacheVersion } from '@rmqns/test-kit';
import { comparable } from '../../../conformance/answer-view.js';
import { differenceOf } from '../../../conformance/differences.js';
import { startServerPair } from '../servers.js';
import { generateScenario } from './generate-scenario.js';
import { oddRule } from './odd-differences.js';
import type { OddScenario, OddStep } from './odd-step.js';
import { type Outcome, PlayedScenario, settledStates } from './play-scenario.js';

/** What to try. */
export interface OddOptions {
  readonly version: ApacheVersion;
  readonly seed: number;
  readonly count: number;
}

/** Scenarios have nothing to do with each other. */
const AT_ONCE = 6;

/** What came of a scenario: the same, a rule by which it differed, or what differs. */
type Verdict = { readonly rule?: string } | { readonly difference: string };

/**
 * Plays the odd requests of a seed to both servers. Fails with everything that no rule explains; how often a rule did is the result.
 */
export async function runOdd(apache: ApacheProcesses, options: OddOptions): Promise<ReadonlyMap<string, number>> {
  const { version, seed, count } = options;
  // Nothing is to expire.
  const settings = version === '5.3.3' ? { scanNotActiveBrokerInterval: '3600000' } : {};
  await using pair = await startServerPair(apache, version, settings);
  const rules = new Map<string, number>();
  const differences: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const nth = next++;
      const verdict = await playScenario(version, generateScenario(version, seed, nth), pair.ports);
      if ('difference' in verdict) differences.push(`scenario ${nth} of seed ${seed}:\n${verdict.difference}`);
      else if (verdict.rule !== undefined) rules.set(verdict.rule, (rules.get(verdict.rule) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  if (differences.length === 0) return rules;
  throw new Error(`${version} answers ${differences.length} otherwise than ours:\n${differences.join('\n')}`);
}

async function playScenario(
  version: ApacheVersion,
  scenario: OddScenario,
  [theirPort, ownPort]: readonly [number, number],
): Promise<Verdict> {
  await using theirs = new PlayedScenario(theirPort, scenario);
  await using ours = new PlayedScenario(ownPort, scenario);
  const notes: string[] = [];
  for (const step of scenario.steps) {
    notes.push(step.note);
    const [left, right] = await Promise.all([theirs.play(step), ours.play(step)]);
    const compared = typeof left === 'string' || typeof right === 'string' ? right : comparable(right, left);
    // After a rule the tables may differ, and after an end a broker goes when its server hears of it.
    if (isDeepStrictEqual(left, compared)) {
      if (left === 'closed' || isSingleTopicFirst(right)) return {};
      continue;
    }
    if (isTheirRace(step, left)) return {};
    const rule = oddRule(version, step, left, right);
    return rule === undefined ? { difference: described(notes, whatDiffers(left, compared)) } : { rule };
  }
  const [left, right] = await settledStates(theirs, ours, version === '5.3.3', isDeepStrictEqual);
  const differing = Object.keys(left).filter((key) => !isDeepStrictEqual(left[key], right[key]));
  if (differing.length === 0) return {};
  const sides = { theirs: differing.map((key) => [key, left[key]]), ours: differing.map((key) => [key, right[key]]) };
  return { difference: described(notes, sides) };
}

/** Apache keeps an empty group, or takes the address from its other id (rule single-topic-first). */
function isSingleTopicFirst(outcome: Outcome): boolean {
  return typeof outcome !== 'string' && outcome.remark === 'register broker failed';
}

/** 4.x writes what all have made while others change it. */
function isTheirRace({ code }: OddStep, outcome: Outcome): boolean {
  return code === 106 && typeof outcome !== 'string' && outcome.remark === '<exception>';
}

function whatDiffers(left: Outcome, right: Outcome): { readonly theirs: unknown; readonly ours: unknown } {
  if (typeof left !== 'string' && typeof right !== 'string') return differenceOf(left, right);
  return { theirs: left, ours: right };
}

function described(notes: readonly string[], sides: { readonly theirs: unknown; readonly ours: unknown }): string {
  return [...notes, `theirs ${JSON.stringify(sides.theirs)}`, `ours   ${JSON.stringify(sides.ours)}`].join('\n');
}
