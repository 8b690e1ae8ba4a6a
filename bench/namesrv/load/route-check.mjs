import { brokerAddr, brokerName, CLUSTER, topicName } from './topology.mjs';

/** Holds every route that is answered to what the topology says: the first of a topic member by member, the others byte by byte to it. */
export class RouteCheck {
  #known = new Map();
  #topology;

  constructor(topology) {
    this.#topology = topology;
  }

  /** @throws Error that says what is wrong with the answer to a lookup of topic i */
  check(topic, code, bytes, bodyAt, end) {
    const known = this.#known.get(topic);
    if (code === 0 && known !== undefined && known.compare(bytes, bodyAt, end) === 0) return;
    if (code !== 0) throw new Error(`the route of ${topicName(topic)} was answered with ${code}`);
    const body = Buffer.from(bytes.subarray(bodyAt, end));
    checkRoute(body, topicName(topic), this.#topology.brokersOf(topic), this.#topology.queues);
    this.#known.set(topic, body);
  }
}

/**
 * @param {readonly number[]} brokers by number, that the topic has
 * @throws Error that says what is wrong
 */
export function checkRoute(body, topic, brokers, queues) {
  const fail = (what) => {
    throw new Error(`the route of ${topic} has ${what}`);
  };
  // Before 5.x, the ids of brokers are written without quotation marks.
  const route = JSON.parse(body.toString('latin1').replace(/([{,])(\d+):/g, '$1"$2":'));
  const wanted = new Map(brokers.map((broker) => [brokerName(broker), broker]));
  if (route.brokerDatas.length !== wanted.size) fail(`${route.brokerDatas.length} brokers, not ${wanted.size}`);
  if (route.queueDatas.length !== wanted.size) fail(`queues of ${route.queueDatas.length} brokers`);
  const named = new Set(route.brokerDatas.map(({ brokerName }) => brokerName));
  const queued = new Set(route.queueDatas.map(({ brokerName }) => brokerName));
  for (const name of wanted.keys()) if (!named.has(name) || !queued.has(name)) fail(`no ${name}`);
  for (const { brokerName: name, cluster, brokerAddrs } of route.brokerDatas) {
    const isRight = cluster === CLUSTER && JSON.stringify(brokerAddrs) === `{"0":"${brokerAddr(wanted.get(name))}"}`;
    if (!isRight) fail(`${name} in ${cluster} at ${JSON.stringify(brokerAddrs)}`);
  }
  for (const { brokerName: name, perm, readQueueNums, writeQueueNums } of route.queueDatas)
    if (perm !== 6 || readQueueNums !== queues || writeQueueNums !== queues)
      fail(`${readQueueNums} and ${writeQueueNums} queues with permission ${perm} on ${name}`);
}
