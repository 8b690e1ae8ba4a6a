import {
  bodyCrc32,
  decodeTopicRouteData,
  encodeRegisterBrokerBody,
  GetRouteInfoByTopic,
  PermName,
  RegisterBroker,
} from '@rmqns/protocol';

const topics = ['OrderCreated', 'PaymentReceived', 'SampleTopic'];

/** The topic that the demonstration looks up. */
export const sampleTopic = 'SampleTopic';

/** Stands in for a broker: an entry in the tables, without anything that listens at its address. */
export class SampleBroker {
  static header = {
    clusterName: 'DefaultCluster',
    brokerName: 'sample-broker',
    brokerId: 0,
    brokerAddr: '127.0.0.1:10911',
    haServerAddr: '127.0.0.1:10912',
  };
  #client;
  #address;
  #dataVersion = { timestamp: Date.now(), counter: 1, stateVersion: 0 };

  /**
   * @param {import('@rmqns/remoting').RemotingClient} client
   * @param {string} address of the name server
   */
  constructor(client, address) {
    this.#client = client;
    this.#address = address;
  }

  get topics() {
    return topics;
  }

  /** Registers with all topics (code 103), as a broker does at its start and every 30 s. */
  async register() {
    const topicConfigSerializeWrapper = {
      dataVersion: this.#dataVersion,
      topicConfigTable: new Map(topics.map((topicName) => [topicName, topicConfig(topicName)])),
      topicQueueMappingInfoMap: new Map(),
    };
    const registration = { topicConfigSerializeWrapper, filterServerList: [] };
    const body = encodeRegisterBrokerBody(registration, { compressed: false, fiveX: true });
    const header = { ...SampleBroker.header, compressed: false, bodyCrc32: bodyCrc32(body) };
    await this.#client.call(this.#address, RegisterBroker, header, { body });
  }
}

function topicConfig(topicName) {
  return {
    topicName,
    readQueueNums: 4,
    writeQueueNums: 4,
    perm: PermName.READ | PermName.WRITE,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  };
}

/** Asks for a route (code 105), as a producer or consumer does. */
export async function lookUp(client, address, topic) {
  const { command } = await client.call(address, GetRouteInfoByTopic, { topic, acceptStandardJsonOnly: true });
  return decodeTopicRouteData(command.body);
}
