import { decodeTopicRouteData, GetRouteInfoByTopic, MASTER_ID } from '@rmqns/protocol';
import { PullMessage, SendMessageV2 } from '../examples/storage-node/dist/src/commands.js';

const QUEUE_ID = 0;
/** The subscription in the request counts. */
const PULL_SUBSCRIPTION = 0x4;

/**
 * Does what a producer and a consumer do: asks for the topic's route, sends a message to the broker in it, and pulls it from there.
 *
 * @param {import('@rmqns/remoting').RemotingClient} client
 * @param {string} namesrvAddress
 * @param {string} topic
 * @param {string} text of the message
 */
export async function exchange(client, namesrvAddress, topic, text) {
  const lookup = { topic, acceptStandardJsonOnly: true };
  const found = await client.call(namesrvAddress, GetRouteInfoByTopic, lookup);
  const route = decodeTopicRouteData(found.command.body);
  const brokerAddr = route.brokerDatas[0]?.brokerAddrs.get(MASTER_ID);
  if (brokerAddr === undefined) throw new Error(`the route of ${topic} has no broker`);

  const sent = await client.call(
    brokerAddr,
    SendMessageV2,
    { b: topic, e: QUEUE_ID, f: 0, g: Date.now(), h: 0, i: '', j: 0, m: false },
    { body: Buffer.from(text) },
  );
  const { queueId, queueOffset } = sent.header;
  const pulled = await client.call(brokerAddr, PullMessage, {
    consumerGroup: 'npm-start',
    topic,
    queueId,
    queueOffset,
    maxMsgNums: 1,
    sysFlag: PULL_SUBSCRIPTION,
    commitOffset: 0,
    suspendTimeoutMillis: 0,
    subscription: '*',
    expressionType: 'TAG',
  });
  return { route, brokerAddr, msgId: sent.header.msgId, message: { queueId, queueOffset, body: bodyOf(pulled.body) } };
}

/** The body of a stored message, which with IPv4 addresses is its field at 84 (reference: storage-node 5.1). */
function bodyOf(message) {
  const bytes = Buffer.from(message);
  return bytes.subarray(88, 88 + bytes.readInt32BE(84));
}
