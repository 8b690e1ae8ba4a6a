import { type ApacheVersion, eventually, WireClient, type WireFrame } from '@rmqns/test-kit';
import { type AnswerView, answerView } from '../../conformance/answer-view.js';
import { encodeStep, isRequest, type RequestStep, type Step } from './step.js';

const REGISTER_BROKER = 103;
const UNREGISTER_BROKER = 104;
const GET_BROKER_CLUSTER_INFO = 106;
const QUERY_DATA_VERSION = 322;
const SEEN_TIMEOUT_MILLIS = 30_000;
/** Long, since a JVM on a busy machine now and then thinks for a while. */
const ANSWER_TIMEOUT_MILLIS = 20_000;

/** A broker of this test's own: once it is gone, what was queued before it is done. */
const MARKER = { brokerName: 'marker', brokerAddr: '10.255.255.255:1', clusterName: 'marker', brokerId: '0' };

/** One name server that steps are played to, over as many connections as they name. */
export class PlayedServer implements AsyncDisposable {
  readonly #port: number;
  /** Answers 104 before it is done. */
  readonly #queues: boolean;
  readonly #connections = new Map<number, WireClient>();
  /** Which connection an address registered over last. */
  readonly #registeredOver = new Map<string, number>();
  #watcher: WireClient | undefined;
  #opaque = 0;

  constructor(port: number, { queuesUnregistrations }: { readonly queuesUnregistrations: boolean }) {
    this.#port = port;
    this.#queues = queuesUnregistrations;
  }

  /** Plays one step and waits until the server is done with it. The answer, or null where there is none to be. */
  async play(step: Step): Promise<AnswerView | null> {
    if ('close' in step) {
      await this.#close(step.close);
      return null;
    }
    if (!isRequest(step)) {
      await this.#expire(step.expire, step.conn);
      return null;
    }
    const frame = await this.#send(step);
    const brokerAddr = step.extFields?.['brokerAddr'];
    if (frame === undefined) {
      if (step.code !== REGISTER_BROKER || brokerAddr === undefined) return null;
      await this.#waitUntilRegistered(step);
      this.#registeredOver.set(brokerAddr, step.conn);
      return null;
    }
    if (step.code === REGISTER_BROKER && brokerAddr !== undefined && frame.header.code === 0) {
      this.#registeredOver.set(brokerAddr, step.conn);
    }
    if (step.code === UNREGISTER_BROKER && this.#queues) await this.#workQueue();
    return answerView(frame.bytes, step.code);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections.values()) await connection[Symbol.asyncDispose]();
    await this.#watcher?.[Symbol.asyncDispose]();
  }

  async #send(step: RequestStep): Promise<WireFrame | undefined> {
    const connection = this.#connections.get(step.conn) ?? (await WireClient.connect(this.#port));
    this.#connections.set(step.conn, connection);
    this.#opaque += 1;
    const opaque = this.#opaque;
    connection.send(encodeStep(step, opaque));
    if (step.oneway === true) return undefined;
    return await connection.tryAnswer(opaque, ANSWER_TIMEOUT_MILLIS);
  }

  async #close(conn: number): Promise<void> {
    const connection = this.#connections.get(conn);
    if (connection === undefined) return;
    this.#connections.delete(conn);
    const over = [...this.#registeredOver].filter(([, other]) => other === conn).map(([address]) => address);
    for (const address of over) this.#registeredOver.delete(address);
    const going: string[] = [];
    for (const address of over) if (await this.#isShown(address)) going.push(address);
    await connection.close();
    for (const address of going) {
      await this.#until(async () => !(await this.#isShown(address)), `${address} off the tables`);
    }
  }

  async #expire(address: string, conn: number): Promise<void> {
    await this.#until(async () => !(await this.#isShown(address)), `${address} expired`);
    this.#registeredOver.delete(address);
    await this.#connections.get(conn)?.waitForClose(SEEN_TIMEOUT_MILLIS);
    this.#connections.delete(conn);
  }

  /** A oneway registration has no answer: its version, which is a new one, is asked for until it is there. */
  async #waitUntilRegistered({ extFields, body }: RequestStep): Promise<void> {
    const { topicConfigSerializeWrapper } = JSON.parse(body ?? '') as {
      topicConfigSerializeWrapper: { dataVersion: unknown };
    };
    const request = {
      code: QUERY_DATA_VERSION,
      extFields: extFields ?? {},
      body: JSON.stringify(topicConfigSerializeWrapper.dataVersion),
    };
    // Not the watcher, which stays: ours keeps a broker that was heard on an open connection.
    await using client = await WireClient.connect(this.#port);
    await this.#until(
      async () => (await client.call(request, ANSWER_TIMEOUT_MILLIS)).header.extFields?.['changed'] === 'false',
      'a oneway registration done',
    );
    await client.close();
  }

  /** 5.3.3 works through unregistrations in their order. */
  async #workQueue(): Promise<void> {
    const watcher = await this.#watch();
    await watcher.call({ code: REGISTER_BROKER, extFields: MARKER }, ANSWER_TIMEOUT_MILLIS);
    await watcher.call({ code: UNREGISTER_BROKER, extFields: MARKER }, ANSWER_TIMEOUT_MILLIS);
    await this.#until(async () => !(await this.#isShown(MARKER.brokerAddr)), 'the queue of unregistrations worked off');
  }

  async #isShown(address: string): Promise<boolean> {
    const info = await (await this.#watch()).call({ code: GET_BROKER_CLUSTER_INFO }, ANSWER_TIMEOUT_MILLIS);
    return info.body.includes(`"${address}"`);
  }

  async #until(reached: () => Promise<boolean>, what: string): Promise<void> {
    const options = { what, timeoutMillis: SEEN_TIMEOUT_MILLIS, intervalMillis: 2 };
    await eventually(async () => ((await reached()) ? true : undefined), options);
  }

  async #watch(): Promise<WireClient> {
    this.#watcher ??= await WireClient.connect(this.#port);
    return this.#watcher;
  }
}

/** Whether a release queues unregistrations. */
export function queuesUnregistrations(version: ApacheVersion): boolean {
  return version === '5.3.3';
}
