import { format } from 'node:util';
import { Producer, SimpleConsumer } from 'rocketmq-client-nodejs';
import { exchange } from './exchange.mjs';

// SERVER is a proxy's gRPC address here. This client does not read bodies that remoting clients compressed: it takes zlib for gzip.

const BATCH = 32;
const INVISIBLE_MILLIS = 30_000;
const LONG_POLL_MILLIS = 5_000;

const complain = (...args) => process.stderr.write(`${format(...args)}\n`);
const logger = { debug: () => {}, info: () => {}, warn: complain, error: complain };

async function send({ server, topic, tag }, bodies) {
  const producer = new Producer({ endpoints: server, namespace: '', topics: [topic], logger });
  await producer.startup();
  for (const body of bodies) await producer.send({ topic, tag, body });
  await producer.shutdown();
}

async function consume({ server, topic, name, tag }, onBody) {
  const consumer = new SimpleConsumer({
    endpoints: server,
    namespace: '',
    consumerGroup: `consumer_${name}`,
    subscriptions: new Map([[topic, tag]]),
    awaitDuration: LONG_POLL_MILLIS,
    logger,
  });
  await consumer.startup();
  let open = true;
  const received = (async () => {
    while (open) {
      const messages = await consumer.receive(BATCH, INVISIBLE_MILLIS);
      for (const message of messages) onBody(message.body);
      await Promise.all(messages.map((message) => consumer.ack(message)));
    }
  })();
  return async () => {
    open = false;
    await received;
    await consumer.shutdown();
  };
}

await exchange({ send, consume });
