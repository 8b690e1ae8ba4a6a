import {
  changedTopics,
  type DecodeRegisterBrokerBodyOptions,
  decodeRegisterBrokerBody,
  type RegisterBrokerBody,
  TopicSlices,
} from '@rmqns/protocol';
import { type BodyKey, type KeptBody, sameBody } from '../routeinfo/kept-body.js';

/** What there is to read of a registration's body. */
export interface RegistrationBody extends RegisterBrokerBody {
  /** Whether the body is the one that is kept: without topics then, as if it had none. */
  readonly isUnchanged: boolean;
  /** What to keep for the next body: see KeptBody. */
  readonly bodyKey: BodyKey | undefined;
  readonly slices: TopicSlices | undefined;
}

/**
 * Reads of a registration's body what differs from the last one of the broker: nothing of an unchanged one, and of another only the topics
 * that changed (design decision 3). What is left out is in the tables as it is.
 *
 * @throws DecodeError when the body is no registration
 */
export function readRegistrationBody(
  body: Uint8Array | undefined,
  bodyKey: BodyKey | undefined,
  kept: KeptBody | undefined,
  options: DecodeRegisterBrokerBodyOptions,
): RegistrationBody {
  if (body === undefined || bodyKey === undefined) {
    return { ...decodeRegisterBrokerBody(body, options), isUnchanged: false, bodyKey: undefined, slices: undefined };
  }
  if (kept !== undefined && sameBody(kept.key, bodyKey)) {
    const { dataVersion, filterServerList, slices } = kept;
    const topicConfigSerializeWrapper = { dataVersion, topicConfigTable: null, topicQueueMappingInfoMap: new Map() };
    return { topicConfigSerializeWrapper, filterServerList, isUnchanged: true, bodyKey, slices };
  }
  const { read, slices } = readTopics(body, (kept?.isInStep ? kept.slices : undefined) ?? TopicSlices.NONE, options);
  // The same bytes without a time in their version are another version next time.
  const isTimeless = read.topicConfigSerializeWrapper.dataVersion.timestamp === options.nowMillis;
  return { ...read, isUnchanged: false, bodyKey: isTimeless ? undefined : bodyKey, slices };
}

function readTopics(
  body: Uint8Array,
  before: TopicSlices,
  options: DecodeRegisterBrokerBodyOptions,
): { readonly read: RegisterBrokerBody; readonly slices: TopicSlices | undefined } {
  const found = changedTopics(before, body);
  if (found === undefined) return { read: decodeRegisterBrokerBody(body, options), slices: undefined };
  const read = decodeRegisterBrokerBody(found.body, options);
  if (isEachItself(read, found.changed)) return { read, slices: found.slices };
  return { read: found.body === body ? read : decodeRegisterBrokerBody(body, options), slices: undefined };
}

/** Whether each topic stood there once, and under its own name: else the last of them is the one that counts. */
function isEachItself({ topicConfigSerializeWrapper }: RegisterBrokerBody, count: number): boolean {
  const table = topicConfigSerializeWrapper.topicConfigTable;
  if (table?.size !== count) return false;
  for (const [key, { topicName }] of table) if (key !== topicName) return false;
  return true;
}
