import { encodeUtf8 } from '@rmqns/remoting/json';
import { MqVersion } from '../mq-version.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
import { deflateRegisterBrokerBody, inflateRegisterBrokerBody } from './register-broker-body-compressed.js';
import { registerBrokerBodyFromJson, registerBrokerBodyToJson, wrapperFromText } from './register-broker-body-json.js';
import { utf8 } from './utf8.js';

/** How a registration's body is to be read. */
export interface DecodeRegisterBrokerBodyOptions {
  /** What the header's `compressed` says. */
  readonly compressed: boolean;
  /** The request's `version`: below 3.0.11 the body is a bare topic table, from 5.0.0 on a compressed one ends with queue mappings. */
  readonly requestVersion: number;
  /** Stands in for a data version without timestamp, which so differs from every other. */
  readonly nowMillis: number;
  /** A compressed body that inflates to more is refused. Default 64 MiB. */
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
/** The first byte of every zlib stream that brokers write; no JSON begins with it. */
const ZLIB_FIRST_BYTE = 0x78;

/**
 * Reads the body of REGISTER_BROKER (103; reference: nameserver 2.5). Nothing of its announced sizes is believed before it is checked.
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
  const { compressed, requestVersion, nowMillis, maxInflatedBytes = DEFAULT_MAX_INFLATED_BYTES } = options;
  const bare = requestVersion < MqVersion.V3_0_11;
  if (body === undefined || body.length === 0) return emptyBody(bare ? null : []);
  if (bare) return { topicConfigSerializeWrapper: wrapperFromText(utf8(body), nowMillis), filterServerList: null };
  if (compressed || body[0] === ZLIB_FIRST_BYTE) {
    const withMappings = requestVersion >= MqVersion.V5_0_0;
    return inflateRegisterBrokerBody(body, { nowMillis, maxInflatedBytes, withMappings });
  }
  return registerBrokerBodyFromJson(utf8(body), nowMillis);
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
