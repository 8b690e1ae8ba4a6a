import type { ApacheVersion } from '@rmqns/test-kit';
import type { AnswerView } from '../../conformance/answer-view.js';
import type { RequestStep } from './step.js';

/** A difference in single answers that is meant: a rule of docs/compatibility.json, and where it shows. */
export interface DeliberateDifference {
  readonly rule: string;
  readonly versions: readonly ApacheVersion[];
  /** Whether these answers differ as the rule says and in nothing else. */
  readonly explains: (step: RequestStep, theirs: AnswerView, ours: AnswerView) => boolean;
}

const lacks = (step: RequestStep, name: string): boolean => step.extFields?.[name] === undefined;

/** Differences that change the tables are not here: the steps are made so that they do not come up. */
export const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    rule: 'unregister-query-heartbeat-without-field',
    versions: ['5.3.3'],
    explains: (step, theirs, ours) =>
      step.code === 104 && lacks(step, 'brokerId') && theirs.code === 0 && ours.code === 1,
  },
  {
    rule: 'query-without-cluster',
    versions: ['5.3.3'],
    explains: (step, theirs, ours) =>
      step.code === 322 && lacks(step, 'clusterName') && theirs.code === 1 && ours.code === 0,
  },
  {
    rule: 'binary-failure-format',
    versions: ['4.9.7'],
    explains: (step, theirs, ours) =>
      step.style === 'ROCKETMQ' && theirs.remark === '<exception>' && theirs.code === ours.code && ours.remark !== null,
  },
];
