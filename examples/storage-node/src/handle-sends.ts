import { ResponseCode } from '@rmqns/protocol';
import { type Channel, CommandError, type RemotingServer } from '@rmqns/remoting';
import type { HeaderOutput } from '@rmqns/remoting/command';
import { type BatchMessage, decodeBatch } from './batch-body.js';
import { SendBatchMessage, SendMessage, SendMessageV2 } from './commands.js';
import { hostBytes, MessageSysFlag, messageProperties } from './message.js';
import type { NodeState } from './node-state.js';

type SendHeader = HeaderOutput<typeof SendMessage.request>;
type SendHeaderV2 = HeaderOutput<typeof SendMessageV2.request>;

/** The clients' own limits. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_TOPIC_BYTES = 127;
/** What the two bytes of its length can say. */
const MAX_PROPERTIES_BYTES = 32_767;
/** Storing a message with one of these at once would deliver it early. */
const DELAY_PROPERTIES = ['DELAY', 'TIMER_DELAY_SEC', 'TIMER_DELAY_MS', 'TIMER_DELIVER_MS'];
const NO_BODY = new Uint8Array();

/** Sending: 10, 310 and 320 (reference: storage-node 4). */
export function handleSends(server: RemotingServer, node: NodeState): void {
  server.handle(SendMessage, ({ header, body, channel }) => send(node, header, body, channel));
  server.handle(SendMessageV2, ({ header, body, channel }) => send(node, fromV2(header), body, channel));
  server.handle(SendBatchMessage, ({ header, body, channel }) =>
    send(node, { ...fromV2(header), batch: true }, body, channel),
  );
}

function fromV2({ b, e, f, g, h, i, j, m }: SendHeaderV2): SendHeader {
  const sender = { topic: b, queueId: e, sysFlag: f, bornTimestamp: g };
  return { ...sender, flag: h, properties: i, reconsumeTimes: j, batch: m };
}

function send(node: NodeState, header: SendHeader, body: Uint8Array = NO_BODY, channel: Channel) {
  if (node.isClosing) throw new CommandError(ResponseCode.SERVICE_NOT_AVAILABLE, 'this node is shutting down');
  const { topic, sysFlag, bornTimestamp, reconsumeTimes } = header;
  refuseAbove(MAX_TOPIC_BYTES, Buffer.byteLength(topic), 'the topic');
  refuseAbove(MAX_BODY_BYTES, body.length, 'the body');
  const messages = messagesOf(header, body);
  for (const { properties } of messages) refuseUnsupported(sysFlag, properties);
  const queue = node.store.queueToWrite(topic, header.queueId);
  const sent = { sysFlag, bornTimestamp, bornHost: hostBytes(channel.remoteAddress), reconsumeTimes };
  const { messageIds, queueOffset } = node.store.append(
    queue,
    messages.map((message) => ({ ...message, ...sent })),
    node.storeHost,
  );
  node.heldPulls.wake(queue);
  return { header: { msgId: messageIds.join(','), queueId: queue.queueId, queueOffset } };
}

/** The properties of a batch's request belong to none of its messages. */
function messagesOf({ batch, flag, properties }: SendHeader, body: Uint8Array): BatchMessage[] {
  if (batch) return decodeBatch(Buffer.from(body.buffer, body.byteOffset, body.length));
  return [{ flag, body, properties: Buffer.from(properties) }];
}

/** What a node without transactions and delays must not store. */
function refuseUnsupported(sysFlag: number, properties: Uint8Array): void {
  refuseAbove(MAX_PROPERTIES_BYTES, properties.length, 'the property text');
  const found = messageProperties(properties);
  const isHalf = (sysFlag & MessageSysFlag.TRANSACTION_MASK) === MessageSysFlag.TRANSACTION_PREPARED;
  if (isHalf || found.get('TRAN_MSG')?.toLowerCase() === 'true')
    throw new CommandError(ResponseCode.NO_PERMISSION, 'this node knows no transactions, and refuses half messages');
  const delay = DELAY_PROPERTIES.find((name) => !['', '0', undefined].includes(found.get(name)));
  if (delay !== undefined)
    throw new CommandError(
      ResponseCode.MESSAGE_ILLEGAL,
      `this node holds no message back: remove the property ${delay}`,
    );
}

function refuseAbove(maxBytes: number, bytes: number, what: string): void {
  if (bytes > maxBytes)
    throw new CommandError(ResponseCode.MESSAGE_ILLEGAL, `${what} has ${bytes} bytes; ${maxBytes} are allowed`);
}
