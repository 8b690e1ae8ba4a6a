import { ResponseCode } from '@rmqns/protocol';
import {
  CommandError,
  decodeHeader,
  encodeHeader,
  type ProcessorResult,
  RemotingCommand,
  type RemotingServer,
  type RequestContext,
} from '@rmqns/remoting';
import type { HeaderOutput } from '@rmqns/remoting/command';
import { LitePullMessage, PullMessage, ViewMessageById } from './commands.js';
import type { MessageQueue } from './message-queue.js';
import type { NodeState } from './node-state.js';
import { type Pull, type PullResult, pullMessages } from './pull-messages.js';
import { everyMessage, type MessageFilter, tagFilter } from './tag-filter.js';

type PullHeader = HeaderOutput<typeof PullMessage.request>;

/** Bits of a pull's `sysFlag` (upstream: `PullSysFlag`). */
const PullSysFlag = {
  /** `commitOffset` is to be kept. */
  COMMIT_OFFSET: 0x1,
  /** The answer may wait for a message. */
  SUSPEND: 0x2,
  /** `subscription` counts; a push consumer's comes with its heartbeat instead. */
  SUBSCRIPTION: 0x4,
} as const;

/** Clients give up after 30 s. */
const MAX_SUSPEND_MILLIS = 25_000;
const DEFAULT_ANSWER_BYTES = 256 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Pulling: 11, 361 and 33 (reference: storage-node 6.4). Both pulls are plain processors, not typed handlers, because their answers
 * have header fields with codes other than SUCCESS too.
 */
export function handlePulls(server: RemotingServer, node: NodeState): void {
  const processor = {
    processRequest: (ctx: RequestContext, request: RemotingCommand) =>
      pull(node, decodeHeader(PullMessage.request, request.extFields), ctx.signal),
  };
  server.registerProcessor(PullMessage.code, processor);
  server.registerProcessor(LitePullMessage.code, processor);

  server.handle(ViewMessageById, ({ header: { offset } }) => {
    const message = node.store.view(Number(offset));
    if (message === undefined)
      throw new CommandError(ResponseCode.SYSTEM_ERROR, `can not find message by the offset, ${offset}`);
    return { body: message };
  });
}

/** A held pull is a promise: its connection's other requests are answered meanwhile. */
async function pull(node: NodeState, header: PullHeader, signal: AbortSignal): Promise<ProcessorResult> {
  const { consumerGroup, topic, queueId, sysFlag, commitOffset } = header;
  const queue = node.store.queue(topic, queueId);
  if ((sysFlag & PullSysFlag.COMMIT_OFFSET) !== 0) node.offsets.commit(consumerGroup, topic, queueId, commitOffset);
  const wanted: Pull = {
    queueOffset: header.queueOffset,
    maxMsgNums: header.maxMsgNums,
    maxBytes: Math.min(header.maxMsgBytes ?? DEFAULT_ANSWER_BYTES, MAX_ANSWER_BYTES),
    isWanted: filterOf(header),
  };
  let result = pullMessages(queue, wanted);
  if (result.code === ResponseCode.PULL_NOT_FOUND && (sysFlag & PullSysFlag.SUSPEND) !== 0) {
    const millis = Math.min(Number(header.suspendTimeoutMillis), MAX_SUSPEND_MILLIS);
    await node.heldPulls.wait(queue, millis, signal);
    result = pullMessages(queue, wanted);
  }
  node.pulledCount += result.messages.length;
  return answer(queue, result);
}

function answer({ minOffset, maxOffset }: MessageQueue, result: PullResult): RemotingCommand {
  const { code, nextBeginOffset, messages } = result;
  return RemotingCommand.response(code, undefined, {
    extFields: encodeHeader(PullMessage.response, { suggestWhichBrokerId: 0, nextBeginOffset, minOffset, maxOffset }),
    body: messages.length === 0 ? undefined : Buffer.concat(messages),
  });
}

/** A push consumer filters by tag itself, so its messages are sent unfiltered. */
function filterOf({ sysFlag, subscription, expressionType }: PullHeader): MessageFilter {
  if ((sysFlag & PullSysFlag.SUBSCRIPTION) === 0) return everyMessage;
  if (expressionType !== 'TAG')
    throw new CommandError(ResponseCode.SYSTEM_ERROR, `this node filters by TAG only, not by ${expressionType}`);
  return tagFilter(subscription);
}
