import type { Logger } from '@rmqns/remoting';
import type { EventRecorder } from '../event-recorder.js';
import { KvConfigManager } from './kv-config-manager.js';
import { KvConfigStore } from './kv-config-store.js';

export interface StoredKvConfigOptions {
  /** Its file; `undefined` or empty: it is in memory alone. */
  readonly path: string | undefined;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/** The KV configuration of a running name server, with its file. A change that could not be written is taken back. */
export class StoredKvConfig {
  readonly manager: KvConfigManager;
  readonly #store: KvConfigStore | undefined;

  constructor({ path, events, logger }: StoredKvConfigOptions) {
    this.manager = new KvConfigManager({ events });
    if (!path) return;
    this.#store = new KvConfigStore(path, {
      restore: (stored) => this.manager.restore(stored),
      warn: (sentence) => logger.warn({ path }, sentence),
    });
  }

  /**
   * Reads the file.
   *
   * @param options as for {@link KvConfigStore.load}
   * @throws NamesrvError `KV_CONFIG_UNREADABLE` when there is a file that cannot be read or is no KV configuration
   */
  async load(options: { readonly fromBackup: boolean }): Promise<void> {
    if (this.#store !== undefined) this.manager.load(await this.#store.load(options));
  }

  /**
   * Writes the file; resolves when a state at least as new as the present one is there.
   *
   * @throws NamesrvError `KV_CONFIG_NOT_WRITABLE`; the configuration is then as the file has it
   */
  async persist(): Promise<void> {
    await this.#store?.persist(() => this.manager.configTable);
  }

  /** Waits for the writes under way. */
  async close(): Promise<void> {
    await this.#store?.close();
  }
}
