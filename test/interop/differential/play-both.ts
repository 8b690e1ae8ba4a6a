import { isDeepStrictEqual } from 'node:util';
import type { ApacheVersion, Json } from '@rmqns/test-kit';
import { type AnswerView, comparable } from '../../conformance/answer-view.js';
import { differenceOf } from '../../conformance/differences.js';
import { deliberateDifferences } from './deliberate-differences.js';
import type { ServerPair } from './servers.js';
import { isRequest, type Step } from './step.js';

/** Answers to one step that differ, and not on purpose. */
export interface Mismatch {
  /** Its place in the sequence. */
  readonly index: number;
  readonly step: Step;
  readonly theirs: Readonly<Record<string, Json>>;
  readonly ours: Readonly<Record<string, Json>>;
}

/** What came of playing a sequence. */
export interface Played {
  readonly mismatch: Mismatch | undefined;
  /** How often a deliberate difference showed, by rule. */
  readonly deliberate: ReadonlyMap<string, number>;
}

/** Plays steps to both servers until their answers differ. */
export async function playBoth(pair: ServerPair, version: ApacheVersion, steps: readonly Step[]): Promise<Played> {
  const deliberate = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    const [theirs, answer] = await Promise.all([pair.theirs.play(step), pair.ours.play(step)]);
    const ours = theirs !== null && answer !== null ? comparable(answer, theirs) : answer;
    if (isDeepStrictEqual(theirs, ours)) continue;
    const rule = ruleFor(version, step, theirs, ours);
    if (rule === undefined) return { mismatch: { index, step, ...differenceOf(theirs, ours) }, deliberate };
    deliberate.set(rule, (deliberate.get(rule) ?? 0) + 1);
  }
  return { mismatch: undefined, deliberate };
}

function ruleFor(
  version: ApacheVersion,
  step: Step,
  theirs: AnswerView | null,
  ours: AnswerView | null,
): string | undefined {
  if (!isRequest(step) || theirs === null || ours === null) return undefined;
  return deliberateDifferences.find(
    ({ versions, explains }) => versions.includes(version) && explains(step, theirs, ours),
  )?.rule;
}
