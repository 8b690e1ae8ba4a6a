import { ResponseCode } from '@rmqns/protocol';
import { CommandError, type RemotingServer } from '@rmqns/remoting';
import type { HeaderOutput } from '@rmqns/remoting/command';
import { LitePullMessage, PullMessage } from './commands.js';
import type { NodeState } from './node-state.js';
import { type Pull, pullMessages, type TagFilter, tagFilter } from './pull-messages.js';

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
/** What an answer's body may have, whatever the client would take. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Pulling: 11 and 361 (reference: storage-node 6.4). */
export function handlePulls(server: RemotingServer, node: NodeState): void {
  server.handle(PullMessage, ({ header, signal }) => pull(node, header, signal));
  server.handle(LitePullMessage, ({ header, signal }) => pull(node, header, signal));
}

/** A held pull is a promise: its connection's other requests are answered meanwhile. */
async function pull(node: NodeState, header: PullHeader, signal: AbortSignal) {
  const { topic, queueId, queueOffset, maxMsgNums, sysFlag, commitOffset } = header;
  const queue = node.store.queue(topic, queueId);
  // A client that knows no offset yet may say -1.
  if ((sysFlag & PullSysFlag.COMMIT_OFFSET) !== 0 && commitOffset >= 0) node.offsets.commit(header, commitOffset);
  const maxBytes = Math.min(header.maxMsgBytes ?? MAX_ANSWER_BYTES, MAX_ANSWER_BYTES);
  const wanted: Pull = { queueOffset, maxMsgNums, maxBytes, isWanted: filterOf(header) };
  let result = pullMessages(queue, wanted);
  if (result.code === ResponseCode.PULL_NOT_FOUND && (sysFlag & PullSysFlag.SUSPEND) !== 0) {
    const millis = Math.min(Number(header.suspendTimeoutMillis), MAX_SUSPEND_MILLIS);
    await node.heldPulls.wait(queue, millis, signal);
    result = pullMessages(queue, wanted);
  }
  const { code, nextBeginOffset, messages } = result;
  node.pulledCount += messages.length;
  return {
    code,
    header: { suggestWhichBrokerId: 0, nextBeginOffset, minOffset: 0, maxOffset: queue.maxOffset },
    body: messages.length === 0 ? undefined : Buffer.concat(messages),
  };
}

/** A push consumer filters by tag itself, so its messages are sent unfiltered. */
function filterOf({ sysFlag, subscription, expressionType }: PullHeader): TagFilter {
  if ((sysFlag & PullSysFlag.SUBSCRIPTION) === 0) return tagFilter('*');
  if (expressionType !== 'TAG')
    throw new CommandError(ResponseCode.SYSTEM_ERROR, 'this node filters by tag only: set the expression type TAG');
  return tagFilter(subscription);
}
