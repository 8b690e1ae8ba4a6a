import { encodeUtf8, parseFastJson } from '@rmqns/remoting/json';
import { MqVersion } from '../mq-version.js';
import { allAtOnce, type Steps, waitFor } from '../steps.js';
import { decodeUtf8 } from './decode-utf8.js';
import { inflateBody, inflateBodyOnThread } from './inflate-body.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
import { deflateRegisterBrokerBody, maxTopicsOf, readInflatedBody } from './register-broker-body-compressed.js';
import {
  registerBrokerBodyFromJson,
  registerBrokerBodyShape,
  registerBrokerBodyToJson,
  wrapperFromJson,
  wrapperShape,
} from './register-broker-body-json.js';
import { parseRequestJsonInSteps } from './request-json.js';
import type { TopicConfigSerializeWrapper } from './topic-config-serialize-wrapper.js';

/** How a registration's body is to be read. */
export interface DecodeRegisterBrokerBodyOptions {
  /** What the header's `compressed` says. */
  readonly compressed: boolean;
  /** The request's `version`: below 3.0.11 the body is a bare topic table, from 5.0.0 on a compressed one ends with queue mappings. */
  readonly requestVersion: number;
  /** Stands in for a data version without timestamp, which so differs from every other. */
  readonly nowMillis: number;
  /**
   * Read as a 5.x name server does: with attributes of topics and mappings of static topics, which a compressed body from a broker of
   * version 5.0.0 or later must then have. Else as 4.x, which knows neither and does not look at them. Default true.
   */
  readonly fiveX?: boolean | undefined;
  /** A compressed body that inflates to more is refused; and so is one that inflates to more than 1 MiB and 100 times its size. Default 64 MiB. */
  readonly maxInflatedBytes?: number | undefined;
}

/** How a registration's body is to be written. */
export interface EncodeRegisterBrokerBodyOptions {
  /** Deflated, which loses `order` and `topicSysFlag` of topics; the header's `compressed` must say so. */
  readonly compressed: boolean;
  /** As a 5.x broker: with state version, attributes and queue mappings. A 4.x name server refuses that when compressed. */
  readonly fiveX: boolean;
}

const DEFAULT_MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** What takes some milliseconds to inflate. */
const MAX_BYTES_AT_ONCE = 64 * 1024;
/** The first byte of every zlib stream that brokers write; no JSON begins with it. */
const ZLIB_FIRST_BYTE = 0x78;

/**
 * Reads the body of REGISTER_BROKER (103; reference: nameserver 2.5). Nothing of its announced sizes is believed before it is
 * checked, and what it takes in memory stays within a small multiple of its own size.
 *
 * A null filter list means: leave the filter servers alone. A null data version reads as a new one, since it differs from every
 * other too. Unlike upstream, a deflated body is read also when the header calls it uncompressed, as 5.3.3 brokers with
 * `compressedRegister=true` do.
 *
 * @throws DecodeError when the body, or the topic table in it, is null or no registration
 */
export function decodeRegisterBrokerBody(
  body: Uint8Array | undefined,
  options: DecodeRegisterBrokerBodyOptions,
): RegisterBrokerBody {
  return decodePlainRegisterBrokerBody(inflateRegisterBrokerBody(body, options), options);
}

/** The body of a registration, inflated if it was compressed. */
export interface PlainRegisterBrokerBody {
  /** Absent or empty: there is none. */
  readonly bytes: Buffer | undefined;
  /** The length that {@link bytes} were inflated from; absent where they are as they came. */
  readonly deflatedBytes?: number;
}

/**
 * The first half of {@link decodeRegisterBrokerBody}: inflates a body that is compressed.
 *
 * @throws DecodeError when it is no zlib stream, or inflates to more than it may
 */
export function inflateRegisterBrokerBody(
  body: Uint8Array | undefined,
  options: DecodeRegisterBrokerBodyOptions,
): PlainRegisterBrokerBody {
  if (body === undefined || body.length === 0) return { bytes: undefined };
  if (isDeflated(body, options)) return { bytes: inflateBody(body, maxOf(options)), deflatedBytes: body.length };
  return { bytes: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

/** {@link inflateRegisterBrokerBody} in steps, which wait for another thread where the body is longer than 64 KiB. */
export function* inflateRegisterBrokerBodyInSteps(
  body: Uint8Array | undefined,
  options: DecodeRegisterBrokerBodyOptions,
): Steps<PlainRegisterBrokerBody> {
  if (body === undefined || body.length <= MAX_BYTES_AT_ONCE || !isDeflated(body, options))
    return inflateRegisterBrokerBody(body, options);
  return { bytes: yield* waitFor(inflateBodyOnThread(body, maxOf(options))), deflatedBytes: body.length };
}

function isDeflated(body: Uint8Array, { compressed, requestVersion }: DecodeRegisterBrokerBodyOptions): boolean {
  return requestVersion >= MqVersion.V3_0_11 && (compressed || body[0] === ZLIB_FIRST_BYTE);
}

function maxOf({ maxInflatedBytes = DEFAULT_MAX_INFLATED_BYTES }: DecodeRegisterBrokerBodyOptions): number {
  return maxInflatedBytes;
}

/**
 * The second half of {@link decodeRegisterBrokerBody}.
 *
 * @throws DecodeError when the body, or the topic table in it, is null or no registration
 */
export function decodePlainRegisterBrokerBody(
  body: PlainRegisterBrokerBody,
  options: DecodeRegisterBrokerBodyOptions,
): RegisterBrokerBody {
  return allAtOnce(decodePlainRegisterBrokerBodyInSteps(body, options));
}

/** {@link decodePlainRegisterBrokerBody} in steps of a millisecond or two, whatever the body holds. */
export function* decodePlainRegisterBrokerBodyInSteps(
  { bytes, deflatedBytes }: PlainRegisterBrokerBody,
  { requestVersion, nowMillis, fiveX = true }: DecodeRegisterBrokerBodyOptions,
): Steps<RegisterBrokerBody> {
  const bare = requestVersion < MqVersion.V3_0_11;
  if (bytes === undefined) return emptyBody(bare ? null : []);
  if (bare) {
    const bareOptions = { nowMillis, fiveX, withMappings: false };
    const json = yield* parseRequestJsonInSteps(bytes, wrapperShape(bareOptions));
    return { topicConfigSerializeWrapper: yield* wrapperFromJson(json, bareOptions), filterServerList: null };
  }
  if (deflatedBytes !== undefined) {
    const withMappings = fiveX && requestVersion >= MqVersion.V5_0_0;
    return yield* readInflatedBody(bytes, { nowMillis, fiveX, withMappings, maxTopics: maxTopicsOf(deflatedBytes) });
  }
  const jsonOptions = { nowMillis, fiveX, withMappings: fiveX };
  const json = yield* parseRequestJsonInSteps(bytes, registerBrokerBodyShape(jsonOptions));
  return yield* registerBrokerBodyFromJson(json, jsonOptions);
}

/**
 * Reads a bare topic table, as a broker's `topics.json` holds it: `{"dataVersion":{...},"topicConfigTable":{...}}`, without mappings of
 * static topics (upstream: `TopicConfigSerializeWrapper`). `nowMillis` stands in for a data version without timestamp. The file is the
 * reader's own: nothing limits how many values it holds.
 *
 * @throws DecodeError when it is null or no topic table
 */
export function decodeTopicConfigSerializeWrapper(bytes: Uint8Array, nowMillis: number): TopicConfigSerializeWrapper {
  const json = parseFastJson(decodeUtf8(bytes));
  return allAtOnce(wrapperFromJson(json, { nowMillis, fiveX: true, withMappings: false }));
}

/**
 * Writes the body of REGISTER_BROKER (103). As JSON a null filter list vanishes, as every null, and reads as an empty one.
 *
 * @throws RemotingError `ENCODE_FAILED` when a topic cannot be written compressed; see `encodeTopicConfigText`
 */
export function encodeRegisterBrokerBody(
  body: RegisterBrokerBody,
  { compressed, fiveX }: EncodeRegisterBrokerBodyOptions,
): Uint8Array {
  if (compressed) return deflateRegisterBrokerBody(body, fiveX);
  return encodeUtf8(registerBrokerBodyToJson(body, fiveX));
}

/** What no body stands for: a broker without topics whose version has never changed. */
function emptyBody(filterServerList: readonly string[] | null): RegisterBrokerBody {
  return {
    topicConfigSerializeWrapper: {
      dataVersion: { timestamp: 0, counter: 0, stateVersion: 0 },
      topicConfigTable: new Map(),
      topicQueueMappingInfoMap: new Map(),
    },
    filterServerList,
  };
}
