import { rename, stat } from 'node:fs/promises';
import { decodeKvConfig, encodeKvConfig, type KvConfigTable } from '@rmqns/protocol';
import { encodeUtf8 } from '@rmqns/remoting/json';
import { NamesrvError } from '../errors.js';
import { readIfThere, replaceFile, updateFile } from './replace-file.js';

export interface KvConfigStoreOptions {
  /** Told what is on disk when a write has failed, before its callers hear of it: what was to be written is to be forgotten. */
  readonly restore?: ((stored: KvConfigTable) => void) | undefined;
  /** Told, in a sentence, of what an operator should know. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/**
 * Keeps the KV configuration in the file `kvConfigPath`, in Apache's format, one line in UTF-8 (reference: nameserver 4).
 *
 * Each write replaces the file as a whole and leaves the former content beside it as `.bak`. Writes follow each other; those asked for
 * while one is under way become one. When one fails, all that was asked for until then fails with it.
 */
export class KvConfigStore {
  readonly path: string;
  readonly #options: KvConfigStoreOptions;
  /** What is on disk. */
  #stored = encodeKvConfig(new Map());
  /** Settles when the last write that was asked for is done, whether it succeeded or not. */
  #written: Promise<void> = Promise.resolve();
  /** The write that is asked for and has not begun. */
  #asked: Promise<void> | undefined;
  /** The last failure; a write that was asked for before it is not tried. */
  #failure: NamesrvError | undefined;

  constructor(path: string, options: KvConfigStoreOptions = {}) {
    this.path = path;
    this.#options = options;
  }

  /**
   * What the file holds; nothing where there is no file.
   *
   * @param fromBackup whether the `.bak` takes the place of a file that is missing, torn or of another kind, which stays as `.broken`
   * @throws NamesrvError `KV_CONFIG_UNREADABLE` when there is a file that cannot be read or is no KV configuration
   */
  async load({ fromBackup = false }: { readonly fromBackup?: boolean } = {}): Promise<KvConfigTable> {
    const table = await this.#load(fromBackup);
    this.#stored = encodeKvConfig(table);
    return table;
  }

  /**
   * Brings to disk what `current` returns when the write begins: a state as new as at this call, or newer.
   *
   * @throws NamesrvError `KV_CONFIG_NOT_WRITABLE`; the file then holds what it held
   */
  persist(current: () => KvConfigTable): Promise<void> {
    if (this.#asked !== undefined) return this.#asked;
    const failure = this.#failure;
    const write = this.#written.then(() => {
      if (this.#failure !== failure) throw this.#failure;
      this.#asked = undefined;
      return this.#write(encodeKvConfig(current()));
    });
    this.#asked = write;
    this.#written = write.catch(() => {});
    return write;
  }

  /** Waits for the writes under way. A store can be used on after it. */
  async close(): Promise<void> {
    await this.#written;
  }

  async #write(text: string): Promise<void> {
    try {
      const bytes = encodeUtf8(text);
      await updateFile(this.path, () => bytes);
      this.#stored = text;
    } catch (error) {
      const failure = new NamesrvError(
        'KV_CONFIG_NOT_WRITABLE',
        `cannot write the KV configuration to ${this.path}: ${reason(error)}; nothing was changed, make the path writable or set kvConfigPath`,
        { path: this.path, cause: error },
      );
      this.#failure = failure;
      this.#asked = undefined;
      this.#options.restore?.(decodeKvConfig(this.#stored));
      throw failure;
    }
  }

  async #load(fromBackup: boolean): Promise<KvConfigTable> {
    const backup = `${this.path}.bak`;
    let broken: NamesrvError | undefined;
    try {
      const table = await this.#read(this.path);
      if (table !== undefined) return table;
    } catch (error) {
      if (!fromBackup || !NamesrvError.is(error)) throw error;
      broken = error;
    }
    if (!fromBackup) {
      if (await this.#isThere(backup))
        this.#options.warn?.(
          `there is no KV configuration file ${this.path}, but a former one, ${backup}; start with --kv-from-backup to take it`,
        );
      return new Map();
    }
    const table = await this.#read(backup);
    if (table === undefined) {
      if (broken !== undefined) throw broken;
      return new Map();
    }
    if (broken !== undefined) await rename(this.path, `${this.path}.broken`);
    await replaceFile(this.path, encodeUtf8(encodeKvConfig(table)));
    const what = broken === undefined ? 'is missing' : `cannot be used and is now ${this.path}.broken`;
    this.#options.warn?.(`the KV configuration file ${this.path} ${what}; ${backup} took its place`);
    return table;
  }

  async #read(path: string): Promise<KvConfigTable | undefined> {
    let bytes: Buffer | undefined;
    try {
      bytes = await readIfThere(path);
    } catch (error) {
      throw this.#unreadable(path, 'cannot be read', error);
    }
    if (bytes === undefined) return undefined;
    try {
      if (bytes.length === 0) throw new Error('it is empty, as an interrupted write leaves it');
      return decodeKvConfig(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      throw this.#unreadable(path, 'holds no KV configuration', error);
    }
  }

  async #isThere(path: string): Promise<boolean> {
    try {
      return (await stat(path)).isFile();
    } catch {
      return false;
    }
  }

  #unreadable(path: string, what: string, error: unknown): NamesrvError {
    const wayOut =
      path === this.path
        ? `repair it, start with --kv-from-backup to take ${path}.bak in its place, or move it away to start without entries`
        : `so ${this.path} cannot be brought back; repair one of them, or move both away to start without entries`;
    return new NamesrvError(
      'KV_CONFIG_UNREADABLE',
      `the KV configuration file ${path} ${what}: ${reason(error)}; ${wayOut}`,
      {
        path,
        cause: error,
      },
    );
  }
}

function reason(error: unknown): string {
  if (NamesrvError.is(error) && error.cause !== undefined) return reason(error.cause);
  return error instanceof Error ? error.message : String(error);
}
