import { jsonField, parseFastJson, toObject, toText, writeFastJson } from '@rmqns/remoting/json';

/** Texts by namespace and key. */
export type KvConfigTable = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** `{"configTable":{"NS":{"key":"value"}}}` on one line, in the legacy flavour (upstream: `KVConfigSerializeWrapper`). */
export function encodeKvConfig(configTable: KvConfigTable): string {
  return writeFastJson({ configTable }, 'legacy');
}

/**
 * Reads what {@link encodeKvConfig} or Apache wrote. A null value is no entry.
 *
 * @throws Error for anything else than a KV configuration
 */
export function decodeKvConfig(text: string): Map<string, Map<string, string>> {
  const bean = toObject(parseFastJson(text), 'the KV configuration');
  const configTable = bean && toObject(jsonField(bean, 'configTable'), 'configTable');
  if (!configTable) throw new Error('it has no configTable');
  const namespaces = new Map<string, Map<string, string>>();
  for (const [namespace, json] of Object.entries(configTable)) {
    const entries = new Map<string, string>();
    for (const [key, value] of Object.entries(toObject(json, `namespace ${namespace}`) ?? {})) {
      const entry = toText(value);
      if (entry !== null) entries.set(key, entry);
    }
    namespaces.set(namespace, entries);
  }
  return namespaces;
}
