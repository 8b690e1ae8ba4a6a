import {
  type ChangedTopics,
  type DecodeRegisterBrokerBodyOptions,
  decodePlainRegisterBrokerBodyInSteps,
  decodeRegisterBrokerBody,
  inflateRegisterBrokerBodyInSteps,
  MqVersion,
  type PlainRegisterBrokerBody,
  type RegisterBrokerBody,
  TopicComparison,
  type TopicConfig,
  TopicSlices,
} from '@rmqns/protocol';
import { joinBodyInSteps, type RemotingCommand } from '@rmqns/remoting';
import { type BodyKey, type KeptBody, sameBody } from '../routeinfo/kept-body.js';
import type { Steps } from '../sliced-work.js';

/** What there is to read of a registration's body. */
export interface RegistrationBody extends RegisterBrokerBody {
  /** Whether the body is the one that is kept: without topics then, as if it had none. */
  readonly isUnchanged: boolean;
  /** What to keep for the next body: see KeptBody. */
  readonly bodyKey: BodyKey | undefined;
  readonly slices: TopicSlices | undefined;
}

/** How much of a body is joined in one step. */
const STEP_JOINED_BYTES = 1024 * 1024;
/**
 * How much of a body is compared, and how many topics are parsed, in one step: a fraction of a millisecond, some more for the longest topics, and ten
 * times as much while the code is new to V8.
 */
const STEP_BYTES = 64 * 1024;
const STEP_TOPICS = 50;

/**
 * Reads of a registration's body what differs from the last one of the broker: nothing of an unchanged one, and of another only the topics
 * that changed (design decision 3). What is left out is in the tables as it is.
 *
 * Joins the command's body only where it is read. In steps.
 *
 * @throws DecodeError when the body is no registration
 */
export function* readRegistrationBody(
  command: Pick<RemotingCommand, 'body'>,
  bodyKey: BodyKey | undefined,
  kept: KeptBody | undefined,
  options: DecodeRegisterBrokerBodyOptions,
): Steps<RegistrationBody> {
  if (bodyKey === undefined) {
    return {
      ...decodeRegisterBrokerBody(command.body, options),
      isUnchanged: false,
      bodyKey: undefined,
      slices: undefined,
    };
  }
  if (kept !== undefined && sameBody(kept.key, bodyKey)) {
    const { dataVersion, filterServerList, slices } = kept;
    const topicConfigSerializeWrapper = { dataVersion, topicConfigTable: null, topicQueueMappingInfoMap: new Map() };
    return { topicConfigSerializeWrapper, filterServerList, isUnchanged: true, bodyKey, slices };
  }
  const before = (kept?.isInStep ? kept.slices : undefined) ?? TopicSlices.NONE;
  yield* joinBodyInSteps(command, STEP_JOINED_BYTES);
  const plain = yield* inflateRegisterBrokerBodyInSteps(command.body, options);
  // Before that release a body is a bare table.
  const found = options.requestVersion < MqVersion.V3_0_11 ? undefined : yield* compare(before, plain);
  const changed = found && (yield* readChanged(found, options));
  const read = changed ?? (yield* decodePlainRegisterBrokerBodyInSteps(plain, options));
  // The same bytes without a time in their version are another version next time.
  const isTimeless = read.topicConfigSerializeWrapper.dataVersion.timestamp === options.nowMillis;
  const slices = changed && found?.slices;
  return { ...read, isUnchanged: false, bodyKey: isTimeless ? undefined : bodyKey, slices };
}

function* compare(before: TopicSlices, body: PlainRegisterBrokerBody): Steps<ChangedTopics | undefined> {
  const comparison = TopicComparison.of(before, body);
  while (comparison?.advance(STEP_BYTES) === false) yield;
  return comparison?.result;
}

/** The changed topics; `undefined` where one stands there twice or under another name than its own: then the last of them counts. */
function* readChanged(
  found: ChangedTopics,
  options: DecodeRegisterBrokerBodyOptions,
): Steps<RegisterBrokerBody | undefined> {
  const read = yield* decodePlainRegisterBrokerBodyInSteps(found.bodyWithoutTopics, options);
  const table = new Map<string, TopicConfig>();
  let step = 0;
  for (const config of found.topics(options.fiveX ?? true)) {
    if (config === undefined || config.topicName === null) return undefined;
    table.set(config.topicName, config);
    if (++step % STEP_TOPICS === 0) yield;
  }
  if (table.size !== found.changed) return undefined;
  return { ...read, topicConfigSerializeWrapper: { ...read.topicConfigSerializeWrapper, topicConfigTable: table } };
}
