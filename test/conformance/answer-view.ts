import { canonicalJson, decodeWireFrame, hasBareNames, type Json, parseLenientJson } from '@rmqns/test-kit';

/** What of an answer is compared: everything but what is the server's own or comes in hash order. */
export interface AnswerView {
  readonly serialize: 'JSON' | 'ROCKETMQ';
  readonly code: number;
  readonly flag: number;
  /** The text of an exception is the JVM's: any is `<exception>`. */
  readonly remark: string | null;
  readonly extFields: Readonly<Record<string, string>> | null;
  /** Canonical JSON; hexadecimal where the body is none; null where there is none. */
  readonly body: Json;
  /** Whether broker ids are unquoted, of the answers where clients depend on it; else null. */
  readonly bareIds: boolean | null;
}

const GET_NAMESRV_CONFIG = 319;
const CODES_WITH_BARE_IDS = new Set([105, 106, 901]);

/** The view of one answer to a request of this code. */
export function answerView(bytes: Buffer, requestCode: number): AnswerView {
  const { serialize, header, body } = decodeWireFrame(bytes);
  const { code, flag, remark, extFields } = header;
  const text = body.toString('utf8');
  return {
    serialize,
    code,
    flag,
    remark: remark !== null && /Exception|Error/.test(remark) ? '<exception>' : remark,
    extFields: extFields === null ? null : { ...extFields },
    body: requestCode === GET_NAMESRV_CONFIG ? 'config' : bodyView(body, text),
    bareIds: CODES_WITH_BARE_IDS.has(requestCode) && body.length > 0 ? hasBareNames(text) : null,
  };
}

function bodyView(body: Buffer, text: string): Json {
  if (body.length === 0) return null;
  try {
    return canonicalJson(parseLenientJson(text));
  } catch {
    return body.toString('hex');
  }
}
