import { isDeepStrictEqual } from 'node:util';
import {
  decodeWireFrame,
  eventually,
  type Json,
  parseLenientJson,
  type Transcript,
  type TranscriptLine,
  WireClient,
  type WireFrame,
} from '@rmqns/test-kit';
import { type AnswerView, answerView } from './answer-view.js';

/** One answer that was compared. `ours` is null when none came. */
export interface ComparedAnswer {
  readonly step: string;
  /** The request's code. */
  readonly code: number;
  /** How many answers to this code there were before this one in steps of this text. */
  readonly nth: number;
  readonly theirs: AnswerView;
  readonly ours: AnswerView | null;
  readonly equal: boolean;
}

/** The part of a registration's body that is read here. */
interface RegisterBody {
  readonly topicConfigSerializeWrapper: { readonly dataVersion: Json };
}

type FrameLine = Extract<TranscriptLine, { readonly dir: string }>;

/** How to replay. */
export interface ReplayOptions {
  /** Requests of these codes are not sent, and so not compared: to see what depends on them. */
  readonly withheld?: ReadonlySet<number> | undefined;
}

const REGISTER_BROKER = 103;
const UNREGISTER_BROKER = 104;
const GET_BROKER_CLUSTER_INFO = 106;
const QUERY_DATA_VERSION = 322;
const ONEWAY = 2;
const SEEN_TIMEOUT_MILLIS = 3_000;

/**
 * Plays recorded traffic to the name server on a port of 127.0.0.1, in its order, over as many connections, and compares the answers.
 *
 * One request is under way at a time: it is sent when the transcript comes to its answer. Of requests that were under way together the
 * order of the answers tells how Apache's threads took them, that of the requests does not.
 */
export async function replayTranscript(
  transcript: Transcript,
  port: number,
  options: ReplayOptions = {},
): Promise<ComparedAnswer[]> {
  const replay = new Replay(transcript, port, options.withheld ?? new Set());
  try {
    for (const line of transcript.lines) await replay.play(line);
    return replay.answers;
  } finally {
    await replay.close();
  }
}

function keyOf(line: FrameLine): string {
  return `${line.conn}/${line.opaque}`;
}

class Replay {
  readonly answers: ComparedAnswer[] = [];
  readonly #port: number;
  readonly #withheld: ReadonlySet<number>;
  readonly #connections = new Map<number, WireClient>();
  /** Which requests have an answer in the transcript. */
  readonly #answered: ReadonlySet<string>;
  /** Requests whose answer the transcript has not come to. */
  readonly #held = new Map<string, WireFrame>();
  /** Which connection a broker address last registered over, as the server sees it. */
  readonly #registeredOver = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #watcher: WireClient | undefined;
  #step = '';

  constructor(transcript: Transcript, port: number, withheld: ReadonlySet<number>) {
    const answers = transcript.lines.filter((line) => 'dir' in line && line.dir === 'response') as FrameLine[];
    this.#answered = new Set(answers.map(keyOf));
    this.#port = port;
    this.#withheld = withheld;
  }

  async play(line: TranscriptLine): Promise<void> {
    if ('step' in line) {
      this.#step = line.step;
    } else if ('event' in line) {
      if (line.event === 'opened') this.#connections.set(line.conn, await WireClient.connect(this.#port));
      else await this.#closed(line.conn);
    } else if (line.from === 'client' && line.dir === 'request') {
      await this.#request(line);
    } else if (line.from === 'server' && line.dir === 'response') {
      await this.#response(line);
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) await connection[Symbol.asyncDispose]();
    await this.#watcher?.[Symbol.asyncDispose]();
  }

  async #request(line: FrameLine): Promise<void> {
    if (this.#withheld.has(line.code)) return;
    const frame = decodeWireFrame(Buffer.from(line.frame_base64, 'base64'));
    const key = keyOf(line);
    if (this.#answered.has(key)) {
      this.#held.set(key, frame);
      return;
    }
    this.#send(line.conn, frame);
    if (frame.header.code === REGISTER_BROKER && (frame.header.flag & ONEWAY) !== 0) {
      await this.#waitUntilRegistered(frame);
    }
  }

  async #response(line: FrameLine): Promise<void> {
    const request = this.#held.get(keyOf(line));
    if (request === undefined) return;
    this.#held.delete(keyOf(line));
    const connection = this.#send(line.conn, request);
    const { code } = request.header;
    const theirs = answerView(Buffer.from(line.frame_base64, 'base64'), code);
    const frame = await connection.tryAnswer(line.opaque).catch(() => undefined);
    const ours = frame === undefined ? null : answerView(frame.bytes, code);
    const place = `${this.#step}/${code}`;
    const nth = this.#counts.get(place) ?? 0;
    this.#counts.set(place, nth + 1);
    this.answers.push({ step: this.#step, code, nth, theirs, ours, equal: isDeepStrictEqual(theirs, ours) });
    if (code === UNREGISTER_BROKER && theirs.code === 0) await this.#unregistered(line.conn);
  }

  #send(conn: number, frame: WireFrame): WireClient {
    const connection = this.#connections.get(conn);
    if (connection === undefined) throw new Error(`the transcript uses connection ${conn} before it is opened`);
    connection.send(frame.bytes);
    const brokerAddr = frame.header.extFields?.['brokerAddr'];
    if (frame.header.code === REGISTER_BROKER && brokerAddr !== undefined) this.#registeredOver.set(brokerAddr, conn);
    return connection;
  }

  /** 5.x takes a broker off its tables a moment after it has answered. */
  async #unregistered(conn: number): Promise<void> {
    const gone = [...this.#registeredOver].filter(([, over]) => over === conn).map(([address]) => address);
    if (gone.length === 1) await this.#waitUntilGone(gone);
  }

  /** Ends a connection. The server has seen that once the brokers that registered over it are no longer in the cluster info. */
  async #closed(conn: number): Promise<void> {
    const connection = this.#connections.get(conn);
    if (connection === undefined) return;
    this.#connections.delete(conn);
    await connection.close();
    const unasked = connection.received.find(({ header }) => (header.flag & ONEWAY) !== 0);
    if (unasked !== undefined) throw new Error(`a oneway request was answered in step ${this.#step}`);
    const gone = [...this.#registeredOver].filter(([, over]) => over === conn).map(([address]) => address);
    for (const address of gone) this.#registeredOver.delete(address);
    if (gone.length > 0) await this.#waitUntilGone(gone);
  }

  /** A oneway registration has no answer: ask for the data version until the server has it. */
  async #waitUntilRegistered(frame: WireFrame): Promise<void> {
    const body = JSON.parse(frame.body.toString('utf8')) as RegisterBody;
    const request = {
      code: QUERY_DATA_VERSION,
      extFields: frame.header.extFields ?? {},
      body: JSON.stringify(body.topicConfigSerializeWrapper.dataVersion),
    };
    const watcher = await this.#watch();
    await eventually(
      async () => ((await watcher.call(request)).header.extFields?.['changed'] === 'false' ? true : undefined),
      { what: 'a oneway registration in the tables', timeoutMillis: SEEN_TIMEOUT_MILLIS, intervalMillis: 20 },
    );
  }

  async #watch(): Promise<WireClient> {
    this.#watcher ??= await WireClient.connect(this.#port);
    return this.#watcher;
  }

  async #waitUntilGone(addresses: readonly string[]): Promise<void> {
    const watcher = await this.#watch();
    await eventually(
      async () => {
        const info = await watcher.call({ code: GET_BROKER_CLUSTER_INFO });
        const text = JSON.stringify(parseLenientJson(info.body.toString('utf8')));
        return addresses.some((address) => text.includes(`"${address}"`)) ? undefined : true;
      },
      { what: `${addresses.join(', ')} off the tables`, timeoutMillis: SEEN_TIMEOUT_MILLIS, intervalMillis: 20 },
    );
  }
}
