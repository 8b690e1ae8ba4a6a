import { encodeUtf8, type JsonValue, writeFastJson } from '@rmqns/remoting/json';
import type { DataVersion } from '../data-version.js';
import { BeanReader, beanShape, SCALAR } from './bean-reader.js';
import { decodeUtf8 } from './decode-utf8.js';
import { parseRequestJson } from './request-json.js';

/** A data version as a bean; 4.x releases know no `stateVersion`. */
export function dataVersionToJson(version: DataVersion, fiveX: boolean) {
  const { counter, timestamp, stateVersion } = version;
  return fiveX ? { counter, stateVersion, timestamp } : { counter, timestamp };
}

/** What {@link dataVersionFromJson} reads. */
export const DATA_VERSION_SHAPE = beanShape({ timestamp: SCALAR, counter: SCALAR, stateVersion: SCALAR });

/**
 * A data version out of JSON; null for JSON that stands for null. What is missing has upstream's defaults: counter 0, state version 0,
 * and the reader's time as timestamp, so that such a version differs from every other (reference: nameserver 2.5.1). In 4.x the state
 * version is not read.
 */
export function dataVersionFromJson(json: JsonValue, nowMillis: number, fiveX: boolean): DataVersion | null {
  const bean = BeanReader.of(json, 'dataVersion');
  if (bean === null) return null;
  return {
    timestamp: bean.long('timestamp', nowMillis),
    counter: isNone(bean.value('counter')) ? null : bean.long('counter', 0),
    stateVersion: fiveX ? bean.long('stateVersion', 0) : 0,
  };
}

/** The counter is an object upstream, which an empty text makes null, too. */
function isNone(json: JsonValue | undefined): boolean {
  return json === null || json === '';
}

/** The body of an answer to QUERY_DATA_VERSION, and of its request (322; reference: nameserver 2.13). */
export function encodeDataVersion(version: DataVersion, { fiveX }: { readonly fiveX: boolean }): Buffer {
  return encodeUtf8(writeFastJson(dataVersionToJson(version, fiveX), 'legacy'));
}

/**
 * Reads a data version; `undefined` for no body and for JSON null. `nowMillis` stands in for a missing timestamp; without `fiveX`, whose
 * default is true, no state version is read.
 *
 * @throws DecodeError when the body is no data version
 */
export function decodeDataVersion(
  body: Uint8Array | undefined,
  nowMillis: number,
  { fiveX = true }: { readonly fiveX?: boolean } = {},
): DataVersion | undefined {
  if (body === undefined || body.length === 0) return undefined;
  return dataVersionFromJson(parseRequestJson(decodeUtf8(body)), nowMillis, fiveX) ?? undefined;
}
