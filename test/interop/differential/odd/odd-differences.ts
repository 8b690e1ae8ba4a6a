import type { ApacheVersion } from '@rmqns/test-kit';
import type { OddStep } from './odd-step.js';
import type { Outcome } from './play-scenario.js';

/** A difference in answers to odd requests that is meant: a rule of docs/compatibility.json, and where it shows. */
export interface OddDifference {
  readonly rule: string;
  /** Default: all. */
  readonly versions?: readonly ApacheVersion[];
  readonly explains: (step: OddStep, theirs: OutcomeView, ours: OutcomeView) => boolean;
}

/** What rules ask of an outcome. */
interface OutcomeView {
  readonly code: number | undefined;
  readonly remark: string;
  readonly serialize: string | undefined;
  /** Whether there was no answer, for the connection ended. */
  readonly closed: boolean;
}

const isLost = (theirs: OutcomeView, ours: OutcomeView): boolean => theirs.code === 0 && ours.code === 1;
const isRead = (theirs: OutcomeView, ours: OutcomeView): boolean => theirs.code === 1 && ours.code === 0;

export const oddDifferences: readonly OddDifference[] = [
  {
    rule: 'binary-failure-format',
    versions: ['4.9.7'],
    explains: ({ binary }, theirs, ours) =>
      binary && theirs.remark === '<exception>' && theirs.code === ours.code && theirs.serialize !== ours.serialize,
  },
  { rule: 'half-surrogate-pair', explains: (_step, _theirs, ours) => ours.remark.includes('half a surrogate pair') },
  {
    rule: 'unregister-query-heartbeat-without-field',
    explains: ({ code }, _theirs, ours) =>
      [104, 322, 904].includes(code) && /custom field <\w+> is (null|no long)/.test(ours.remark),
  },
  { rule: 'empty-names', explains: (_step, _theirs, ours) => /custom field <\w+> is empty/.test(ours.remark) },
  {
    rule: 'register-without-field',
    explains: ({ code }, _theirs, ours) => code === 103 && /custom field <\w+> is null/.test(ours.remark),
  },
  {
    rule: 'query-without-cluster',
    versions: ['5.3.3'],
    explains: ({ code, note }, theirs, ours) => code === 322 && note.includes('clusterName') && isRead(theirs, ours),
  },
  {
    rule: 'null-data-version',
    explains: ({ code }, theirs, ours) => code === 322 && theirs.code === 0 && ours.code === 0,
  },
  { rule: 'topic-without-name', explains: (_step, _theirs, ours) => ours.remark.includes('has no topicName') },
  {
    rule: 'deflated-but-called-uncompressed',
    explains: ({ note }, theirs, ours) => /compressed=(yes|false)/.test(note) && isRead(theirs, ours),
  },
  {
    rule: 'attributes-compressed-4x',
    versions: ['4.7.1', '4.9.7'],
    explains: ({ note }, theirs, ours) => note.includes('compressed=') && isRead(theirs, ours),
  },
  {
    rule: 'nothing-registered',
    explains: ({ code, note }, theirs, ours) =>
      code === 103 &&
      isLost(theirs, ours) &&
      (/version (0|30|36):/.test(note) || ours.remark === 'topicConfigSerializeWrapper is null'),
  },
  { rule: 'body-limits', explains: (_step, _theirs, ours) => /announces -\d+ /.test(ours.remark) },
  { rule: 'queues-without-broker', explains: (_step, _theirs, ours) => ours.remark === 'queue data has no brokerName' },
  {
    rule: 'odd-header',
    explains: ({ note, header }, theirs, ours) =>
      (theirs.closed && !ours.closed && note.includes('header')) ||
      (/"１"|"१"/.test(header) && ours.remark.includes('is no long')),
  },
  {
    rule: 'odd-json',
    explains: ({ code, note }, theirs, ours) =>
      [103, 217, 322].includes(code) &&
      /JSON|body|layout/.test(note) &&
      (isLost(theirs, ours) ? IS_READ_BY_APACHE.test(note) : isRead(theirs, ours) && IS_READ_BY_OURS.test(note)),
  },
];

/** A number beyond 64 bits, a lone brace, or a list that holds what is no text. */
const IS_READ_BY_APACHE = /\d{20}|body "}"|filterServerList/;
/** What is not used, a switch as a time or counter, a text as the table of topics, and the text null as an object. */
const IS_READ_BY_OURS =
  /mappingDataVersion|topicQueueMappingDetailMap|"(timestamp|counter)": is (true|false)|"topicConfigTable": is ""|: is "null"/;

/** The rule by which the outcomes of a step differ; `undefined` when none explains it. */
export function oddRule(version: ApacheVersion, step: OddStep, theirs: Outcome, ours: Outcome): string | undefined {
  const [left, right] = [viewOf(theirs), viewOf(ours)];
  return oddDifferences.find(
    ({ versions, explains }) => (versions === undefined || versions.includes(version)) && explains(step, left, right),
  )?.rule;
}

function viewOf(outcome: Outcome): OutcomeView {
  if (typeof outcome === 'string')
    return { code: undefined, remark: '', serialize: undefined, closed: outcome === 'closed' };
  const { code, remark, serialize } = outcome;
  return { code, remark: remark ?? '', serialize, closed: false };
}
