import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ApacheVersion, type Json, vectorsDirectory } from '@rmqns/test-kit';
import type { AnswerView } from './answer-view.js';
import type { ComparedAnswer } from './replay.js';

/** What of two answers differs: by path (`body.queueDatas.0.perm`), with the value of one side. */
export type Side = Readonly<Record<string, Json>>;

/** An entry of `test/vectors/differences.json`: answers where ours differs from Apache's on purpose, or for now. */
export interface Difference {
  readonly id: string;
  /** The deliberate difference in `docs/compatibility.json` that this is a case of; absent where the capture is at odds with itself. */
  readonly rule?: string;
  readonly versions: readonly ApacheVersion[];
  readonly scenario: string;
  /** The transcript's step; VERSION stands for the version. */
  readonly step: string;
  /** The request's code. */
  readonly code: number;
  /** Which answers to this code in steps of this text, from 0. */
  readonly nth: readonly number[];
  readonly theirs: Side;
  readonly ours: Side;
  readonly reason: string;
}

/** The members in which two answers differ. Lists of the same length are compared item by item, others by what only one of them holds. */
export function differenceOf(theirs: AnswerView | null, ours: AnswerView | null): { theirs: Side; ours: Side } {
  const left: Record<string, Json> = {};
  const right: Record<string, Json> = {};
  const compare = (path: string, a: Json | undefined, b: Json | undefined): void => {
    if (isDeepStrictEqual(a, b)) return;
    if (isList(a) && isList(b)) {
      if (a.length === b.length) {
        for (const [index, item] of a.entries()) compare(`${path}.${index}`, item, b[index]);
        return;
      }
      left[path] = without(a, b);
      right[path] = without(b, a);
      return;
    }
    if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
        compare(path === '' ? name : `${path}.${name}`, a[name], b[name]);
      }
      return;
    }
    if (a !== undefined) left[path] = a;
    if (b !== undefined) right[path] = b;
  };
  if (theirs === null || ours === null) return { theirs: whole(theirs), ours: whole(ours) };
  compare('', { ...theirs }, { ...ours });
  // The text of a body, and the members of a header, are of interest where they mean the same.
  const paths = Object.keys({ ...left, ...right });
  const differs = (member: string): boolean => paths.some((path) => path.split('.')[0] === member);
  if (differs('body')) drop('text', left, right);
  if (differs('remark') || differs('extFields')) drop('headerMembers', left, right);
  return { theirs: left, ours: right };
}

/** The listed differences of one transcript, each of which must be met exactly. */
export class ListedDifferences {
  readonly #expected = new Map<string, Difference>();

  constructor(version: ApacheVersion, scenario: string, differences: readonly Difference[] = readDifferences()) {
    for (const difference of differences) {
      if (!difference.versions.includes(version) || difference.scenario !== scenario) continue;
      const step = difference.step.replaceAll('VERSION', version);
      for (const nth of difference.nth) {
        const place = placeOf({ step, code: difference.code, nth });
        if (this.#expected.has(place)) throw new Error(`differences.json lists ${place} twice`);
        this.#expected.set(place, difference);
      }
    }
  }

  /** Whether an answer is as it must be: equal and not listed, or different as listed. */
  accepts(answer: ComparedAnswer): boolean {
    const place = placeOf(answer);
    const listed = this.#expected.get(place);
    if (listed === undefined) return answer.equal;
    const { theirs, ours } = differenceOf(answer.theirs, answer.ours);
    if (!isDeepStrictEqual({ theirs, ours }, { theirs: listed.theirs, ours: listed.ours })) return false;
    this.#expected.delete(place);
    return true;
  }

  /** Places that were listed and not met: they are to be taken off the list. */
  get unmet(): string[] {
    return [...this.#expected].map(([place, { id }]) => `${id}: ${place}`);
  }
}

/**
 * Whether an answer is one of those that a race in the capture decided: two requests were under way together, and Apache's threads may take
 * either first. They are the entries without a rule.
 */
export function isCaptureRace(version: ApacheVersion, scenario: string, { step, code, nth }: ComparedAnswer): boolean {
  return readDifferences().some(
    (entry) =>
      entry.rule === undefined &&
      entry.versions.includes(version) &&
      entry.scenario === scenario &&
      entry.step.replaceAll('VERSION', version) === step &&
      entry.code === code &&
      entry.nth.includes(nth),
  );
}

/** All entries of the list. */
export function readDifferences(): Difference[] {
  return JSON.parse(readFileSync(join(vectorsDirectory, 'differences.json'), 'utf8')) as Difference[];
}

/** An answer that the other side has not given. */
function whole(answer: AnswerView | null): Side {
  return { answer: answer === null ? 'none' : `code ${answer.code}` };
}

function drop(member: string, ...sides: Record<string, Json>[]): void {
  for (const side of sides) delete side[member];
}

function placeOf({ step, code, nth }: Pick<ComparedAnswer, 'step' | 'code' | 'nth'>): string {
  return `${step} | answer ${nth} to ${code}`;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function without(list: readonly Json[], other: readonly Json[]): Json[] {
  return list.filter((item) => !other.some((member) => isDeepStrictEqual(item, member)));
}
