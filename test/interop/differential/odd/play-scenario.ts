import { setTimeout as delay } from 'node:timers/promises';
import { encodeWireRequest, type Json, WireClient } from '@rmqns/test-kit';
import { type AnswerView, answerView } from '../../../conformance/answer-view.js';
import { frameOf, type OddScenario, type OddStep } from './odd-step.js';

/** What came of a step: an answer, the end of the connection, or neither. */
export type Outcome = AnswerView | 'closed' | 'silent';

const ANSWER_TIMEOUT_MILLIS = 20_000;
/** After what came behind it was answered. */
const SILENT_AFTER_MILLIS = 3_000;
/** Above all opaques of steps. */
const FIRST_PING = 2_000_000_000;
/** Versions of clients that get the two flavours of a route. */
const CLIENT_VERSIONS = [355, 479] as const;
/** Lists of what all scenarios have made; of these the state is asked for in the end. */
const OF_ALL = new Set([106, 206, 304, 311, 312, 313]);

/** One scenario at one server. */
export class PlayedScenario implements AsyncDisposable {
  readonly #port: number;
  readonly #scenario: OddScenario;
  readonly #connections = new Map<number, WireClient>();
  #ping = FIRST_PING;

  constructor(port: number, scenario: OddScenario) {
    this.#port = port;
    this.#scenario = scenario;
  }

  async play(step: OddStep): Promise<Outcome> {
    const connection = this.#connections.get(step.conn) ?? (await WireClient.connect(this.#port));
    this.#connections.set(step.conn, connection);
    connection.sendRaw(frameOf(step));
    this.#ping += 1;
    const ping = { code: 101, extFields: { namespace: 'ping', key: 'ping' }, opaque: this.#ping };
    connection.sendRaw(encodeWireRequest(ping));
    const pong = await connection.tryAnswer(ping.opaque, ANSWER_TIMEOUT_MILLIS);
    if (pong === undefined) return 'closed';
    // Threads of Java may answer in another order.
    const frame = await connection.tryAnswer(step.opaque, SILENT_AFTER_MILLIS).catch(() => undefined);
    if (frame === undefined) return 'silent';
    const view = withoutPresentTime(answerView(frame.bytes, step.code));
    return OF_ALL.has(step.code) ? { ...view, body: null, text: null, bareIds: null } : view;
  }

  /** What the server shows of the scenario's names. */
  async state(fiveX: boolean): Promise<Record<string, Json>> {
    const { marker, topics, namespace, cluster, brokerName } = this.#scenario;
    await using client = await WireClient.connect(this.#port);
    const state: Record<string, Json> = {};
    const ask = async (code: number, extFields: Record<string, string>, version = 479): Promise<void> => {
      const { bytes, header } = await client.call({ code, extFields, version }, ANSWER_TIMEOUT_MILLIS);
      const { body, text } = answerView(bytes, code);
      state[`${code} ${Object.values(extFields).join()} as ${version}`] = OF_ALL.has(code)
        ? aboutOne(body, marker)
        : { code: header.code, body, text };
    };
    for (const topic of topics) for (const version of CLIENT_VERSIONS) await ask(105, { topic }, version);
    await ask(219, { namespace });
    await ask(224, { cluster });
    if (fiveX) await ask(901, { clusterName: cluster, brokerName });
    await ask(106, {});
    await ask(206, {});
    return state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections.values()) await connection[Symbol.asyncDispose]();
  }
}

/** The states of two servers: as soon as they are the same, or at last. 5.3.3 works unregistrations off after it has answered. */
export async function settledStates(
  theirs: PlayedScenario,
  ours: PlayedScenario,
  fiveX: boolean,
  isSame: (left: unknown, right: unknown) => boolean,
): Promise<readonly [Record<string, Json>, Record<string, Json>]> {
  for (let triesLeft = 12; ; triesLeft--) {
    const [left, right] = await Promise.all([theirs.state(fiveX), ours.state(fiveX)]);
    if (triesLeft === 0 || isSame(left, right)) return [left, right];
    await delay(50);
  }
}

/** A version that came without a time has that of its reading. */
function withoutPresentTime(view: AnswerView): AnswerView {
  const { body, text } = view;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return view;
  const { timestamp } = body as { readonly timestamp?: Json };
  if (typeof timestamp !== 'number' || Math.abs(timestamp - Date.now()) > 3_600_000) return view;
  return { ...view, body: { ...(body as object), timestamp: 'now' } as Json, text: text && 'with the present time' };
}

/** Of a body about all what is about one scenario; null where Apache's 4.x met a change while it wrote one. */
function aboutOne(body: Json, marker: string): Json {
  if (body === null) return null;
  const mine = (value: Json | undefined): Json =>
    Object.fromEntries(Object.entries((value ?? {}) as object).filter(([name]) => name.includes(marker))) as Json;
  const { topicList, brokerAddrTable, clusterAddrTable } = body as Readonly<Record<string, Json>>;
  const topics = ((topicList ?? []) as readonly Json[]).filter((topic) => String(topic).includes(marker));
  return { topics, brokers: mine(brokerAddrTable), clusters: mine(clusterAddrTable) } as Json;
}
