import type { KvConfigTable } from '@rmqns/protocol';
import { EventRecorder } from '../event-recorder.js';

export interface KvConfigManagerOptions {
  /** Shared with RouteInfoManager, so that revisions are common; default one without a listener. */
  readonly events?: EventRecorder | undefined;
}

/**
 * The KV configuration: texts by namespace and key (upstream: `KVConfigManager`; reference: nameserver 2.1 to 2.4 and 4).
 *
 * A namespace that was emptied stays and is not the same as one that never was. Pure: whoever changes it also has it stored.
 */
export class KvConfigManager {
  readonly #configTable = new Map<string, Map<string, string>>();
  readonly #events: EventRecorder;
  #revision = 0;

  constructor(options: KvConfigManagerOptions = {}) {
    this.#events = options.events ?? new EventRecorder();
  }

  /** All namespaces, to read. */
  get configTable(): KvConfigTable {
    return this.#configTable;
  }

  /** The number of changes so far, including those that are no event, as a new namespace. */
  get revision(): number {
    return this.#revision;
  }

  /** Merges what was stored, without events. */
  load(stored: KvConfigTable): void {
    this.#revision += 1;
    for (const [namespace, table] of stored) {
      const entries = this.#namespace(namespace);
      for (const [key, value] of table) entries.set(key, value);
    }
  }

  /**
   * Code 100.
   *
   * @param value null is what Apache stores for a missing value: the key is then as good as absent, its namespace is there.
   */
  putKvConfig(namespace: string, key: string, value: string | null): void {
    this.#events.run(() => {
      this.#revision += 1;
      const entries = this.#namespace(namespace);
      const before = entries.get(key);
      if (value === null) entries.delete(key);
      else entries.set(key, value);
      const after = value ?? undefined;
      if (before !== after) this.#events.record({ type: 'kv.changed', cause: 'put-kv', namespace, key, before, after });
    });
  }

  /** Goes back to what is stored, since a change could not be. */
  restore(stored: KvConfigTable): void {
    this.#events.run(() => {
      this.#revision += 1;
      for (const namespace of new Set([...this.#configTable.keys(), ...stored.keys()])) {
        const entries = this.#namespace(namespace);
        const former = stored.get(namespace);
        for (const key of new Set([...entries.keys(), ...(former?.keys() ?? [])])) {
          const before = entries.get(key);
          const after = former?.get(key);
          if (after === undefined) entries.delete(key);
          else entries.set(key, after);
          if (before !== after)
            this.#events.record({ type: 'kv.changed', cause: 'restore-kv', namespace, key, before, after });
        }
        if (former === undefined) this.#configTable.delete(namespace);
      }
    });
  }

  /** Code 101; `undefined` becomes code 22. */
  getKvConfig(namespace: string, key: string): string | undefined {
    return this.#configTable.get(namespace)?.get(key);
  }

  /** Code 102: removes the key and leaves its namespace. Returns whether it was there. */
  deleteKvConfig(namespace: string, key: string): boolean {
    return this.#events.run(() => {
      const entries = this.#configTable.get(namespace);
      const before = entries?.get(key);
      if (entries === undefined || before === undefined) return false;
      this.#revision += 1;
      entries.delete(key);
      this.#events.record({ type: 'kv.changed', cause: 'delete-kv', namespace, key, before });
      return true;
    });
  }

  /** Code 219; `undefined`, for a namespace that is not there, becomes code 22. */
  getKvListByNamespace(namespace: string): ReadonlyMap<string, string> | undefined {
    return this.#configTable.get(namespace);
  }

  #namespace(namespace: string): Map<string, string> {
    let entries = this.#configTable.get(namespace);
    if (entries === undefined) {
      entries = new Map();
      this.#configTable.set(namespace, entries);
    }
    return entries;
  }
}
