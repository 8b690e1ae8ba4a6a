import { ResponseCode } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { MessageQueue } from './message-queue.js';
import type { MessageFilter } from './tag-filter.js';

/** What a consumer asks of a queue. */
export interface Pull {
  /** The first wanted. */
  readonly queueOffset: Long;
  readonly maxMsgNums: number;
  /** For all messages together; the first is given however large it is. */
  readonly maxBytes: number;
  readonly isWanted: MessageFilter;
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
  const { minOffset, maxOffset } = queue;
  if (pull.queueOffset < minOffset) return nothing(ResponseCode.PULL_OFFSET_MOVED, minOffset);
  if (pull.queueOffset > maxOffset) return nothing(ResponseCode.PULL_OFFSET_MOVED, maxOffset);
  if (pull.queueOffset === maxOffset) return nothing(ResponseCode.PULL_NOT_FOUND, maxOffset);

  const messages: Buffer[] = [];
  let bytes = 0;
  let skipped = 0;
  let next = Number(pull.queueOffset);
  for (; next < maxOffset && skipped < MAX_SKIPPED; next++) {
    const message = queue.at(next);
    if (message === undefined) break;
    if (!pull.isWanted(message.bytes)) {
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
