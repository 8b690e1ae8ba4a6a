import { DecodeError } from '@rmqns/remoting/command';
import { parseFastJson, quoteForPeople, writeFastJson } from '@rmqns/remoting/json';
import { BeanReader, textMapFromJson } from './bean-reader.js';

/** KV entries by namespace and key; a namespace without entries is not the same as none (reference: nameserver 2.5, step 7). */
export type KvConfigTable = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The text of `kvConfig.json`: one line, the legacy flavour (upstream: `KVConfigSerializeWrapper`; reference: nameserver 4). */
export function encodeKvConfig(configTable: KvConfigTable): string {
  return writeFastJson({ configTable }, 'legacy');
}

/**
 * Reads the text of `kvConfig.json`. Entries whose value is null are no entries.
 *
 * @throws DecodeError when the text is no JSON or holds no `configTable`; upstream does not start either
 */
export function decodeKvConfig(text: string): Map<string, Map<string, string>> {
  const bean = BeanReader.of(parseFastJson(text), 'the KV configuration');
  const namespaces = bean?.entries('configTable');
  if (namespaces === undefined) throw new DecodeError('the KV configuration has no configTable');
  const configTable = new Map<string, Map<string, string>>();
  for (const [namespace, json] of namespaces) {
    configTable.set(namespace, textMapFromJson(json, `of the namespace ${quoteForPeople(namespace)}`) ?? new Map());
  }
  return configTable;
}
