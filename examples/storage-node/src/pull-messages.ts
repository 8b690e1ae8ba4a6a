import { ResponseCode } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { MessageQueue } from './message-store.js';

/** Whether a consumer wants messages with this tag; `''` is none. */
export type TagFilter = (tag: string) => boolean;

/** What a consumer asks of a queue. */
export interface Pull {
  /** The first wanted. */
  readonly queueOffset: Long;
  readonly maxMsgNums: number;
  /** For all messages together; the first is given however large it is. */
  readonly maxBytes: number;
  readonly isWanted: TagFilter;
}

/** What a consumer gets. */
export interface PullResult {
  /** SUCCESS, or PULL_NOT_FOUND, PULL_RETRY_IMMEDIATELY, PULL_OFFSET_MOVED. */
  readonly code: ResponseCode;
  /** Where it has to go on. */
  readonly nextBeginOffset: number;
  readonly messages: readonly Buffer[];
}

/** So many unwanted messages are passed over at once, so that one consumer holds up nobody. */
const MAX_SKIPPED = 10_000;

/** Answers a pull from what the queue holds now (reference: storage-node 6.4). */
export function pullMessages(queue: MessageQueue, pull: Pull): PullResult {
  const { messages: stored, maxOffset } = queue;
  if (pull.queueOffset < 0) return nothing(ResponseCode.PULL_OFFSET_MOVED, 0);
  if (pull.queueOffset > maxOffset) return nothing(ResponseCode.PULL_OFFSET_MOVED, maxOffset);
  if (pull.queueOffset === maxOffset) return nothing(ResponseCode.PULL_NOT_FOUND, maxOffset);

  const messages: Buffer[] = [];
  let bytes = 0;
  let skipped = 0;
  let next = Number(pull.queueOffset);
  for (; next < maxOffset && skipped < MAX_SKIPPED; next++) {
    const message = stored[next];
    if (message === undefined) break;
    if (!pull.isWanted(message.tag)) {
      skipped++;
      continue;
    }
    if (messages.length > 0 && (messages.length >= pull.maxMsgNums || bytes + message.bytes.length > pull.maxBytes))
      break;
    messages.push(message.bytes);
    bytes += message.bytes.length;
  }
  if (messages.length === 0) return nothing(ResponseCode.PULL_RETRY_IMMEDIATELY, next);
  return { code: ResponseCode.SUCCESS, nextBeginOffset: next, messages };
}

function nothing(code: ResponseCode, nextBeginOffset: number): PullResult {
  return { code, nextBeginOffset, messages: [] };
}

/**
 * What a subscription wants: `*` or nothing is all, else tags joined by `||` (upstream: `FilterAPI.buildSubscriptionData`). A message
 * without tag is wanted only by who wants all.
 */
export function tagFilter(subscription: string): TagFilter {
  const tags = new Set(subscription.split('||').map((tag) => tag.trim()));
  tags.delete('');
  return tags.size === 0 || tags.has('*') ? () => true : (tag) => tags.has(tag);
}
