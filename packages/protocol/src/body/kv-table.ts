import type { BodyCodec } from '@rmqns/remoting/command';
import { encodeUtf8, parseFastJson, writeFastJson } from '@rmqns/remoting/json';
import { BeanReader, notNull } from './bean-reader.js';
import { decodeUtf8 } from './decode-utf8.js';
import { requiredBody } from './required-body.js';

/** `{"table":{"key":"value"}}`: the body of answers to 103 and 219, and of a broker's to 28 (upstream: `KVTable`; reference: nameserver 2.4). */
export function encodeKvTable(table: ReadonlyMap<string, string>): Buffer {
  return encodeUtf8(writeFastJson({ table }, 'legacy'));
}

/**
 * Reads a KV table. Entries whose value is null are left out.
 *
 * @throws DecodeError when the body is no KV table
 */
export function decodeKvTable(body: Uint8Array): Map<string, string> {
  const bean = notNull(BeanReader.of(parseFastJson(decodeUtf8(body)), 'the KV table'), 'the KV table');
  return bean.textMap('table') ?? new Map();
}

export const kvTableBody = requiredBody<ReadonlyMap<string, string>>('the KV table', encodeKvTable, decodeKvTable);

/** A KV table that need not be there; an empty one is not the same as none. */
export const optionalKvTableBody: BodyCodec<ReadonlyMap<string, string> | undefined> = {
  encode: (table) => (table === undefined ? undefined : encodeKvTable(table)),
  decode: (bytes) => (bytes === undefined || bytes.length === 0 ? undefined : decodeKvTable(bytes)),
};
