import { Latencies } from '../../harness/latencies.mjs';
import { LookupConnection } from './lookup-connection.mjs';
import { routeRequest } from './requests.mjs';
import { RouteCheck } from './route-check.mjs';
import { topicName } from './topology.mjs';

const DRAIN_MILLIS = 10_000;

/** Lookups of a topology's routes over some connections. */
export class LookupPlan {
  #check;
  #connections = [];
  #latencies = new Latencies();
  #answers = 0;
  #bytes = 0;
  #maxMillis = 0;
  #failure;
  #isClosed = false;
  #reject = () => {};
  /** What to do when a connection has got answers. */
  onAnswers = () => {};

  /** `lookedUp` of the topology's topics are asked for: all, unless it says otherwise. */
  constructor(topology, lookedUp = topology.topics) {
    this.#check = new RouteCheck(topology);
    this.requests = Array.from({ length: lookedUp }, (_, i) => routeRequest(topicName(i), topology.version));
  }

  static async open(port, topology, connections, lookedUp) {
    const plan = new LookupPlan(topology, lookedUp);
    for (let i = 0; i < connections; i++) plan.#connections.push(await LookupConnection.open(port, plan, i));
    return plan;
  }

  take(topic, millis, code, bytes, bodyAt, end) {
    this.#check.check(topic, code, bytes, bodyAt, end);
    this.#latencies.record(millis);
    if (millis > this.#maxMillis) this.#maxMillis = millis;
    this.#answers++;
    this.#bytes += end - bodyAt;
  }

  fail(error) {
    if (this.#isClosed) return;
    this.#failure ??= error;
    this.#reject(this.#failure);
  }

  /** Keeps so many requests under way on each connection, for so long, and longer (up to `mostSeconds`) until there are so many answers. */
  async window(perConnection, seconds, { leastAnswers = 0, mostSeconds = seconds } = {}) {
    return this.#measure(mostSeconds, (finish, mostAt, began) => {
      const endsAt = began + seconds * 1000;
      this.onAnswers = (connection, answers) => {
        const now = performance.now();
        if (now < endsAt || (now < mostAt && this.#answers < leastAnswers)) {
          for (let i = 0; i < answers; i++) connection.ask(now);
          connection.flush();
        } else if (this.#pending() === 0) finish();
      };
      for (const connection of this.#connections) {
        for (let i = 0; i < perConnection; i++) connection.ask(performance.now());
        connection.flush();
      }
    });
  }

  /**
   * Asks at a rate, over the connections in turn, whether answers come or not. Latency counts from when a request was due, so that a server
   * that stands still is charged for all that wait meanwhile. The loop is polled, not slept, between requests.
   */
  async atRate(perSecond, seconds) {
    return this.#measure(seconds, (finish, endsAt) => {
      const began = performance.now();
      const everyMillis = 1000 / perSecond;
      let asked = 0;
      let isOver = false;
      this.onAnswers = () => {
        if (isOver && this.#pending() === 0) finish();
      };
      const poll = () => {
        const now = performance.now();
        isOver = now >= endsAt || this.#failure !== undefined;
        while (!isOver && began + asked * everyMillis <= now) {
          const connection = this.#connections[asked % this.#connections.length];
          connection.ask(began + asked * everyMillis);
          connection.flush();
          asked++;
        }
        if (!isOver) setImmediate(poll);
        else if (this.#pending() === 0) finish();
      };
      poll();
    });
  }

  close() {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
  }

  #pending() {
    let pending = 0;
    for (const connection of this.#connections) pending += connection.pending;
    return pending;
  }

  async #measure(seconds, run) {
    this.#latencies = new Latencies();
    this.#answers = 0;
    this.#bytes = 0;
    this.#maxMillis = 0;
    const began = performance.now();
    let timer;
    await new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#failure !== undefined) reject(this.#failure);
      const missing = () => reject(new Error(`${this.#pending()} lookups were never answered`));
      timer = setTimeout(missing, seconds * 1000 + DRAIN_MILLIS);
      run(resolve, began + seconds * 1000, began);
    }).finally(() => clearTimeout(timer));
    const took = (performance.now() - began) / 1000;
    const { p50, p99, p999 } = this.#latencies.summary();
    return {
      answers: this.#answers,
      seconds: took,
      perSecond: this.#answers / took,
      bodyBytes: this.#bytes / this.#answers,
      p50Micros: p50,
      p99Micros: p99,
      p999Micros: p999,
      maxMicros: this.#maxMillis * 1000,
    };
  }
}
