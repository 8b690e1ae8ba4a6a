import ons from 'ali-ons';
import { exchange } from './exchange.mjs';

// It wants one at its start, and uses it only to ask for name servers over HTTP.
const httpclient = { request: () => Promise.reject(new Error('nothing is asked over HTTP here')) };

function options(server) {
  // A signature is for the cloud; any keys do.
  return { httpclient, nameSrv: server, accessKeyId: 'key', accessKeySecret: 'secret' };
}

async function send({ server, topic, name, tag }, bodies) {
  const producer = new ons.Producer({ ...options(server), producerGroup: `producer_${name}` });
  await producer.ready();
  for (const body of bodies) {
    const { sendStatus } = await producer.send(new ons.Message(topic, tag, body));
    if (sendStatus !== 'SEND_OK') throw new Error(`a message was answered with ${sendStatus}`);
  }
  await producer.close();
}

async function consume({ server, topic, name, tag }, onBody) {
  const consumer = new ons.Consumer({
    ...options(server),
    consumerGroup: `consumer_${name}`,
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  });
  consumer.subscribe(topic, tag, async ({ body }) => onBody(body));
  await consumer.ready();
  return () => consumer.close();
}

await exchange({ send, consume });
