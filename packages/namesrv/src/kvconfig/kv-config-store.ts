import { decodeKvConfig, encodeKvConfig, type KvConfigTable } from '@rmqns/protocol';
import { encodeUtf8 } from '@rmqns/remoting/json';
import { NamesrvError } from '../errors.js';
import { readIfThere, updateFile } from './replace-file.js';

/**
 * Keeps the KV configuration in the file `kvConfigPath`, in Apache's format, one line in UTF-8 (reference: nameserver 4).
 *
 * Each write replaces the file as a whole and leaves the former content beside it as `.bak`. Writes follow each other; those asked for
 * while one is under way become one.
 */
export class KvConfigStore {
  readonly path: string;
  /** Settles when the last write that was asked for is done, whether it succeeded or not. */
  #written: Promise<void> = Promise.resolve();
  /** The write that is asked for and has not begun. */
  #asked: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * What the file holds; nothing where there is no file.
   *
   * @throws NamesrvError `KV_CONFIG_UNREADABLE` when there is a file that cannot be read or is no KV configuration
   */
  async load(): Promise<KvConfigTable> {
    const bytes = await this.#read();
    if (bytes === undefined) return new Map();
    try {
      if (bytes.length === 0) throw new Error('it is empty, as an interrupted write leaves it');
      return decodeKvConfig(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      throw this.#unreadable('holds no KV configuration', error);
    }
  }

  /**
   * Brings to disk what `current` returns when the write begins: a state as new as at this call, or newer.
   *
   * @throws NamesrvError `KV_CONFIG_NOT_WRITABLE`; the file then holds what it held
   */
  persist(current: () => KvConfigTable): Promise<void> {
    if (this.#asked !== undefined) return this.#asked;
    const write = this.#written.then(() => {
      this.#asked = undefined;
      return this.#write(encodeUtf8(encodeKvConfig(current())));
    });
    this.#asked = write;
    this.#written = write.catch(() => {});
    return write;
  }

  /** Waits for the writes under way. A store can be used on after it. */
  async close(): Promise<void> {
    await this.#written;
  }

  async #write(bytes: Buffer): Promise<void> {
    try {
      await updateFile(this.path, () => bytes);
    } catch (error) {
      throw new NamesrvError(
        'KV_CONFIG_NOT_WRITABLE',
        `cannot write the KV configuration to ${this.path}: ${reason(error)}; changes are in memory only, make the path writable or set kvConfigPath`,
        { path: this.path, cause: error },
      );
    }
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      return await readIfThere(this.path);
    } catch (error) {
      throw this.#unreadable('cannot be read', error);
    }
  }

  #unreadable(what: string, error: unknown): NamesrvError {
    return new NamesrvError(
      'KV_CONFIG_UNREADABLE',
      `the KV configuration file ${this.path} ${what}: ${reason(error)}; repair it, put ${this.path}.bak in its place, or move it away to start without entries`,
      { path: this.path, cause: error },
    );
  }
}

function reason(error: unknown): string {
  if (NamesrvError.is(error) && error.cause !== undefined) return reason(error.cause);
  return error instanceof Error ? error.message : String(error);
}
