/**
 * The cluster that the load pretends to be: so many brokers and topics; topic i lives on `perTopic` brokers in a row. As real ones do, each
 * broker also has a topic of its own name and one of the cluster's.
 */
export class Topology {
  /**
   * @param {{ brokers?: number, topics?: number, perTopic?: number, queues?: number, version?: number, firstBroker?: number }} options
   *   `version` is the ordinal in MQVersion that requests carry: 407 is 4.9.7, 479 is 5.3.3
   */
  constructor({ brokers = 1, topics = 1, perTopic = brokers, queues = 8, version = 479, firstBroker = 0 }) {
    Object.assign(this, { brokers, topics, queues, version, firstBroker });
    this.perTopic = Math.min(perTopic, brokers);
  }

  get isFiveX() {
    return this.version >= FIRST_FIVE_X;
  }

  /** The brokers of topic i, by number. */
  brokersOf(topic) {
    const first = (topic * this.perTopic) % this.brokers;
    return Array.from({ length: this.perTopic }, (_, i) => this.firstBroker + ((first + i) % this.brokers));
  }

  /** All topics that a broker registers, by name. */
  topicsOf(broker) {
    const names = [brokerName(broker), CLUSTER];
    for (let topic = 0; topic < this.topics; topic++) {
      const first = (topic * this.perTopic) % this.brokers;
      const distance = (broker - this.firstBroker - first + this.brokers) % this.brokers;
      if (distance < this.perTopic) names.push(topicName(topic));
    }
    return names;
  }
}

/** The ordinal of V5_0_0: from it on a registration has attributes and queue mappings. */
const FIRST_FIVE_X = 413;

export const CLUSTER = 'bench-cluster';
export const brokerName = (broker) => `broker-${String(broker).padStart(4, '0')}`;
export const brokerAddr = (broker) => `127.0.0.1:${20_000 + broker}`;
export const topicName = (topic) => `bench-topic-${String(topic).padStart(6, '0')}`;
