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
import { type AnswerView, answerView, comparable } from './answer-view.js';

/** One answer that was compared. `theirs` is null where a request had none that is no oneway, `ours` when none came. */
export interface ComparedAnswer {
  readonly step: string;
  /** The request's code. */
  readonly code: number;
  /** How many answers to this code there were before this one in steps of this text. */
  readonly nth: number;
  readonly theirs: AnswerView | null;
  readonly ours: AnswerView | null;
  readonly equal: boolean;
}

/** The part of a registration's body that is read here. */
interface RegisterBody {
  readonly topicConfigSerializeWrapper: { readonly dataVersion: Json };
}

type Place = Pick<ComparedAnswer, 'step' | 'code' | 'nth'>;
type FrameLine = Extract<TranscriptLine, { readonly dir: string }>;

/** How to replay. */
export interface ReplayOptions {
  /** Requests of these codes are not sent, and so not compared: to see what depends on them. */
  readonly withheld?: ReadonlySet<number> | undefined;
  /** Told before each line how many milliseconds it came after the one before it, for a server whose clock is the test's. */
  readonly onTime?: ((millis: number) => void) | undefined;
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
 * A request is sent when the transcript comes to its answer, after those that came before it on its connection: of requests that were
 * under way together on different connections the order of the answers tells how Apache's threads took them.
 */
export async function replayTranscript(
  transcript: Transcript,
  port: number,
  options: ReplayOptions = {},
): Promise<ComparedAnswer[]> {
  const replay = new Replay(transcript, port, options.withheld ?? new Set());
  let atMillis = transcript.lines[0]?.t_ms ?? 0;
  try {
    for (const line of transcript.lines) {
      // Lines of two recorders: now and then one is a millisecond early.
      if (line.t_ms > atMillis) options.onTime?.(line.t_ms - atMillis);
      atMillis = Math.max(atMillis, line.t_ms);
      await replay.play(line);
    }
    await replay.end();
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
  readonly #held = new Map<string, { readonly conn: number; readonly frame: WireFrame; sent: boolean }>();
  /** Which connection a broker address last registered over, as the server sees it. */
  readonly #registeredOver = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  /** Requests by connection that got no answer and are no oneways. */
  readonly #unanswered = new Map<number, { readonly place: Place; readonly opaque: number }[]>();
  /** Codes that the recorded server answered. */
  readonly #knownCodes: ReadonlySet<number>;
  #watcher: WireClient | undefined;
  #step = '';

  constructor(transcript: Transcript, port: number, withheld: ReadonlySet<number>) {
    const answers = transcript.lines.filter((line) => 'dir' in line && line.dir === 'response') as FrameLine[];
    this.#answered = new Set(answers.map(keyOf));
    this.#knownCodes = new Set(
      transcript.lines.flatMap((line) =>
        'dir' in line && line.dir === 'request' && this.#answered.has(keyOf(line)) ? [line.code] : [],
      ),
    );
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

  /** Closes what the transcript left open. */
  async end(): Promise<void> {
    for (const conn of [...this.#connections.keys()]) await this.#closed(conn);
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
      this.#held.set(key, { conn: line.conn, frame, sent: false });
      return;
    }
    this.#send(line.conn, frame);
    if ((frame.header.flag & ONEWAY) === 0) {
      // An answer to a known code just came too late to be recorded.
      if (this.#knownCodes.has(line.code)) return;
      const unanswered = this.#unanswered.get(line.conn) ?? [];
      this.#unanswered.set(line.conn, [...unanswered, { place: this.#place(line.code), opaque: line.opaque }]);
    } else if (frame.header.code === REGISTER_BROKER) {
      await this.#waitUntilRegistered(frame);
      this.#registered(line.conn, frame);
    }
  }

  async #response(line: FrameLine): Promise<void> {
    // The client had gone before its answer came.
    if (!this.#connections.has(line.conn)) return;
    const request = this.#underWay(line);
    if (request === undefined) return;
    const connection = this.#connection(line.conn);
    const { code } = request.header;
    const theirs = answerView(Buffer.from(line.frame_base64, 'base64'), code);
    const frame = await connection.tryAnswer(line.opaque).catch(() => undefined);
    this.#compare(this.#place(code), theirs, frame);
    if (frame?.header.code === 0) this.#registered(line.conn, request);
    if (code === UNREGISTER_BROKER && theirs.code === 0) await this.#unregistered(line.conn);
  }

  /** Sends what came on this connection up to the request of this answer, and returns that request. */
  #underWay(line: FrameLine): WireFrame | undefined {
    const key = keyOf(line);
    const request = this.#held.get(key);
    if (request?.sent === false) {
      for (const [other, held] of this.#held) {
        if (!held.sent && held.conn === line.conn) this.#send(line.conn, held.frame);
        held.sent ||= held.conn === line.conn;
        if (other === key) break;
      }
    }
    this.#held.delete(key);
    return request?.frame;
  }

  #place(code: number): Place {
    const key = `${this.#step}/${code}`;
    const nth = this.#counts.get(key) ?? 0;
    this.#counts.set(key, nth + 1);
    return { step: this.#step, code, nth };
  }

  #compare(place: Place, theirs: AnswerView | null, frame: WireFrame | undefined): void {
    const view = frame === undefined ? null : answerView(frame.bytes, place.code);
    const ours = view === null || theirs === null ? view : comparable(view, theirs);
    this.answers.push({ ...place, theirs, ours, equal: isDeepStrictEqual(theirs, ours) });
  }

  #send(conn: number, frame: WireFrame): void {
    this.#connection(conn).send(frame.bytes);
  }

  #connection(conn: number): WireClient {
    const connection = this.#connections.get(conn);
    if (connection === undefined) throw new Error(`the transcript uses connection ${conn} before it is opened`);
    return connection;
  }

  #registered(conn: number, { header }: WireFrame): void {
    const brokerAddr = header.extFields?.['brokerAddr'];
    if (header.code === REGISTER_BROKER && brokerAddr !== undefined) this.#registeredOver.set(brokerAddr, conn);
  }

  /** 5.x takes a broker off its tables a moment after it has answered. */
  async #unregistered(conn: number): Promise<void> {
    const gone = [...this.#registeredOver].filter(([, over]) => over === conn).map(([address]) => address);
    if (gone.length === 1) await this.#waitUntilGone(gone);
  }

  /**
   * Ends a connection. The server has seen that once a broker that registered over it is no longer in the cluster info: Apache's takes
   * one off, ours all at once.
   */
  async #closed(conn: number): Promise<void> {
    const connection = this.#connections.get(conn);
    if (connection === undefined) return;
    this.#connections.delete(conn);
    await connection.close();
    for (const { place, opaque } of this.#unanswered.get(conn) ?? []) {
      const answer = connection.received.find(({ header }) => header.opaque === opaque);
      this.#compare(place, null, answer);
    }
    this.#unanswered.delete(conn);
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
    // Not the watcher that stays: ours keeps a broker that was heard on an open connection.
    await using watcher = await WireClient.connect(this.#port);
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
        return addresses.every((address) => text.includes(`"${address}"`)) ? undefined : true;
      },
      { what: `one of ${addresses.join(', ')} off the tables`, timeoutMillis: SEEN_TIMEOUT_MILLIS, intervalMillis: 20 },
    );
  }
}
