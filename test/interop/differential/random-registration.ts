import type { Member } from './broker-model.js';
import type { Random } from './random.js';
import { type MappingFields, type RegistrationFields, type TopicFields, V5_0_0 } from './registration-body.js';

/** The topics that there are. */
export const TOPICS = [
  ...Array.from({ length: 12 }, (_, index) => `T${index}`),
  'TBW102',
  '%RETRY%group',
  'a/b\\c',
  'say-"it"',
  '主题-ü-\u2028-\u007f',
  '😀',
  'rmq_sys_SYNC_BROKER_MEMBER_broker-a',
] as const;

/** The version of a broker: of the server's generation more often than not. */
export function randomBrokerVersion(
  random: Random,
  { fiveX, isGhost }: { readonly fiveX: boolean; readonly isGhost: boolean },
): number {
  return fiveX
    ? random.weighted([
        [6, 479],
        [3, 413],
        [2, 407],
        [2, 355],
        [isGhost ? 0 : 1, 30],
      ] as const)
    : random.weighted([
        [6, 355],
        [4, 407],
        [2, 479],
        [1, 30],
        [1, 0],
      ] as const);
}

/** What a registration is made for. */
interface RegistrationOccasion {
  readonly fiveX: boolean;
  /** Of the broker. */
  readonly version: number;
  readonly oneTopicWillDo: boolean;
  readonly nowMillis: number;
}

/** A registration that has nothing to do with an earlier one. */
export function randomRegistration(
  random: Random,
  member: Member,
  { fiveX, version, oneTopicWillDo, nowMillis }: RegistrationOccasion,
): RegistrationFields {
  return {
    dataVersion: member.version,
    topics: randomTopics(random, oneTopicWillDo),
    mappings: fiveX && random.once(5) ? randomMappings(random, member.group.name) : [],
    stamp: version >= V5_0_0 && random.once(2) ? nowMillis : undefined,
    filterServerList: random.weighted<RegistrationFields['filterServerList']>([
      [6, []],
      [2, ['10.9.9.1:3000', '10.9.9.2:3000']],
      [1, undefined],
      [member.ghost ? 0 : 1, null],
    ]),
  };
}

function randomTopics(random: Random, oneWillDo: boolean): TopicFields[] {
  const names = random.some(TOPICS, 6);
  if (names.length === 1 && !oneWillDo) names.push(...TOPICS.filter((name) => name !== names[0]).slice(0, 1));
  return names.map((name) => randomTopic(random, name));
}

function randomTopic(random: Random, topicName: string = random.pick(TOPICS)): TopicFields {
  return {
    topicName,
    readQueueNums: random.pick([1, 4, 4, 8, 16, 0, -1, 2_147_483_647]),
    writeQueueNums: random.pick([1, 4, 4, 8]),
    perm: random.pick([6, 6, 6, 6, 7, 4, 2, 0, 1, 14]),
    topicSysFlag: random.pick([0, 0, 0, 1, 2, 3]),
  };
}

function randomMappings(random: Random, bname: string): MappingFields[] {
  return random.some(['T1', 'T2', '主题-ü-\u2028-\u007f'], 2).map((topic) => ({
    topic,
    bname,
    totalQueues: 4,
    epoch: random.pick([1, 2, 1_700_000_000_000]),
    currIdMap: random.pick([{}, { 0: 0 }, { 0: 0, 1: 1, 3: 2 }]),
  }));
}

/**
 * A registration that differs a little from an earlier one, or not at all, as those of a broker do: ours does not read what is the same
 * (design decision 3).
 *
 * @param oneWillDo whether it may have but one topic
 */
export function editRegistration(fields: RegistrationFields, random: Random, oneWillDo: boolean): RegistrationFields {
  const topics = [...fields.topics];
  const stamp = fields.stamp === undefined ? undefined : fields.stamp + 30_000;
  for (let edits = random.pick([0, 0, 0, 1, 1, 1, 2, 3]); edits > 0; edits--) editTopics(topics, random);
  const count = new Set(topics.map(({ topicName, key }) => key ?? topicName)).size;
  return { ...fields, topics: count < 2 && !oneWillDo ? [] : topics, stamp };
}

function editTopics(topics: TopicFields[], random: Random): void {
  const topic = (): TopicFields => randomTopic(random);
  const at = random.below(topics.length + 1);
  const there = topics[at];
  if (there === undefined) {
    topics.push(topic());
    return;
  }
  const edit = random.weighted<() => void>([
    [4, () => topics.splice(at, 1, { ...there, ...numbersOf(topic()) })],
    [3, () => topics.splice(at, 1)],
    [3, () => topics.splice(at, 0, topic())],
    // The last of a name counts, wherever it stands.
    [2, () => topics.push({ ...there, ...numbersOf(topic()) })],
    [1, () => topics.push(there)],
    [2, () => topics.splice(random.below(topics.length), 0, ...topics.splice(at, 1))],
    [1, () => topics.reverse()],
    // Under a name that is not its own, or with that of another.
    [1, () => topics.splice(at, 1, { ...there, key: topic().topicName })],
    [1, () => topics.splice(at, 1, { ...topic(), key: there.topicName })],
  ]);
  edit();
}

function numbersOf({ readQueueNums, writeQueueNums, perm, topicSysFlag }: TopicFields): Omit<TopicFields, 'topicName'> {
  return { readQueueNums, writeQueueNums, perm, topicSysFlag };
}
