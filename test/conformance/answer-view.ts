import { canonicalJson, decodeWireFrame, hasBareNames, type Json, parseLenientJson } from '@rmqns/test-kit';
import { withMapsSorted } from './ordered-json.js';

/** What of an answer is compared: everything but the opaque and what comes in hash order. */
export interface AnswerView {
  readonly serialize: 'JSON' | 'ROCKETMQ';
  readonly code: number;
  readonly flag: number;
  readonly language: string | number;
  readonly version: number;
  /** The text of an exception is the JVM's: any is `<exception>`. */
  readonly remark: string | null;
  readonly extFields: Readonly<Record<string, string>> | null;
  /** The names in a JSON header, in their order; null for a binary one. */
  readonly headerMembers: string | null;
  /** Canonical JSON; hexadecimal where the body is none; null where there is none. */
  readonly body: Json;
  /** Whether broker ids are unquoted, of the answers where clients depend on it; else null. */
  readonly bareIds: boolean | null;
  /** The body as text, but for what comes in hash order; null where it is no JSON. */
  readonly text: string | null;
}

const GET_NAMESRV_CONFIG = 319;
const GET_ROUTEINFO_BY_TOPIC = 105;
const CODES_WITH_BARE_IDS = new Set([GET_ROUTEINFO_BY_TOPIC, 106, 901]);

/** Members of bodies that are maps, of which Java's hash order is that of the wire. */
const MAPS = new Set([
  'attributes',
  'brokerAddrs',
  'brokerAddrTable',
  'clusterAddrTable',
  'currIdMap',
  'filterServerTable',
  'table',
  'topicQueueMappingByBroker',
]);
const NO_MAPS = new Set<string>();

/** The view of one answer to a request of this code. */
export function answerView(bytes: Buffer, requestCode: number): AnswerView {
  const { serialize, header, body } = decodeWireFrame(bytes);
  const { code, flag, language, version, remark, extFields } = header;
  const text = body.toString('utf8');
  const isConfig = requestCode === GET_NAMESRV_CONFIG && code === 0;
  const bareIds = CODES_WITH_BARE_IDS.has(requestCode) && body.length > 0 ? hasBareNames(text) : null;
  // In the standard flavour of a route, which quoted ids tell, maps are sorted.
  const sorted = requestCode === GET_ROUTEINFO_BY_TOPIC && bareIds === false && /[{,]"-?\d+":/.test(text);
  return {
    serialize,
    code,
    flag,
    language,
    version,
    remark: remark !== null && /Exception|Error/.test(remark) ? '<exception>' : remark,
    extFields: extFields === null ? null : { ...extFields },
    headerMembers: serialize === 'JSON' ? membersOf(bytes) : null,
    body: isConfig ? configView(text) : bodyView(body, text),
    bareIds,
    text: body.length === 0 || isConfig ? null : orderedText(text, sorted ? NO_MAPS : MAPS),
  };
}

/**
 * Ours as it is compared with theirs: where Apache's remark is a Java exception, any sentence of ours will do.
 */
export function comparable(ours: AnswerView, theirs: AnswerView): AnswerView {
  if (theirs.remark !== '<exception>' || ours.remark === null) return ours;
  return { ...ours, remark: theirs.remark };
}

function membersOf(bytes: Buffer): string {
  const header = bytes.subarray(8, 8 + bytes.readUIntBE(5, 3)).toString('utf8');
  return Object.keys(JSON.parse(header) as object).join();
}

/** The settings by name. Those that name a place on the server's machine are told from each other by their names alone. */
function configView(text: string): Json {
  const settings = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    settings.sort().map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), /Path=|Home=|listenPort=/.test(line) ? '<place>' : line.slice(at + 1)];
    }),
  );
}

function bodyView(body: Buffer, text: string): Json {
  if (body.length === 0) return null;
  try {
    return canonicalJson(parseLenientJson(text));
  } catch {
    return body.toString('hex');
  }
}

function orderedText(text: string, maps: ReadonlySet<string>): string | null {
  try {
    return withMapsSorted(text, maps);
  } catch {
    return null;
  }
}
