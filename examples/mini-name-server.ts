// A name server that brokers register with and clients ask for routes. It never forgets a broker that falls silent, and knows one
// broker of each name: for the rest there is mqnamesrv.
import {
  decodeRegisterBrokerBody,
  encodeTopicRouteData,
  GetRouteInfoByTopic,
  MqVersion,
  RegisterBroker,
  type RegisterBrokerBody,
  ResponseCode,
  UnregisterBroker,
} from '@rmqns/protocol';
import { type Channel, CommandError, RemotingServer } from '@rmqns/remoting';

interface Broker {
  readonly cluster: string;
  readonly address: string;
  readonly channel: Channel;
  readonly topics: NonNullable<RegisterBrokerBody['topicConfigSerializeWrapper']['topicConfigTable']>;
}

const brokers = new Map<string, Broker>();
const server = new RemotingServer({ host: '127.0.0.1', port: Number(process.argv[2] ?? 9876) });

server.handle(RegisterBroker, ({ header, body, command, channel }) => {
  const { compressed, brokerName } = header;
  const { topicConfigSerializeWrapper } = decodeRegisterBrokerBody(body, {
    compressed,
    requestVersion: command.version,
    nowMillis: Date.now(),
  });
  const topics = topicConfigSerializeWrapper.topicConfigTable ?? new Map();
  brokers.set(brokerName, { cluster: header.clusterName, address: header.brokerAddr, channel, topics });
  console.log(`${brokerName} at ${header.brokerAddr} has ${topics.size} topics`);
});

server.handle(UnregisterBroker, ({ header }) => {
  brokers.delete(header.brokerName);
});

server.handle(GetRouteInfoByTopic, ({ header, command }) => {
  const holders = [...brokers].flatMap(([brokerName, broker]) => {
    const topic = broker.topics.get(header.topic ?? '');
    return topic === undefined ? [] : [{ brokerName, broker, topic }];
  });
  if (holders.length === 0)
    throw new CommandError(
      ResponseCode.TOPIC_NOT_EXIST,
      `No topic route info in name server for the topic: ${header.topic}`,
    );
  const route = {
    queueDatas: holders.map(({ brokerName, topic }) => ({ brokerName, ...topic })),
    brokerDatas: holders.map(({ brokerName, broker }) => ({
      cluster: broker.cluster,
      brokerName,
      brokerAddrs: new Map([[0, broker.address]]),
      enableActingMaster: false,
    })),
    filterServerTable: new Map(),
  };
  return {
    body: encodeTopicRouteData(route, {
      fiveX: true,
      queueFlagName: 'topicSysFlag',
      standardJson: command.version >= MqVersion.V4_9_4,
    }),
  };
});

server.on('close', (channel) => {
  for (const [name, broker] of brokers) if (broker.channel === channel) brokers.delete(name);
});

await server.start();
console.log(`listening on ${server.address}`);
process.once('SIGTERM', () => void server.close());
process.once('SIGINT', () => void server.close());
