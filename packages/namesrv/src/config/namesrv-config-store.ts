import { readFile } from 'node:fs/promises';
import { decodePropertiesBytes, editProperties } from '@rmqns/protocol';
import { NamesrvError } from '../errors.js';
import { isMissing, linkTarget, replaceFile } from '../kvconfig/replace-file.js';

/**
 * Brings changed options to the file `configStorePath`, which people edit too: only the lines of those keys are rewritten. Each write
 * replaces the file as a whole, with the former content beside it as `.bak`; writes follow each other.
 */
export class NamesrvConfigStore {
  readonly path: string;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** @throws NamesrvError `CONFIG_NOT_WRITABLE`; the file then holds what it held */
  write(values: ReadonlyMap<string, string>): Promise<void> {
    const write = this.#written.then(() => this.#write(values));
    this.#written = write.catch(() => {});
    return write;
  }

  /** Waits for the writes under way. */
  async close(): Promise<void> {
    await this.#written;
  }

  async #write(values: ReadonlyMap<string, string>): Promise<void> {
    if (values.size === 0) return;
    try {
      const target = await linkTarget(this.path);
      const former = await this.#read();
      const text = former === undefined ? '' : decodePropertiesBytes(former);
      const edited = editProperties(text, values);
      if (former !== undefined && edited === text) return;
      if (former !== undefined) await replaceFile(`${target}.bak`, former);
      await replaceFile(target, encodeAs(edited, former));
    } catch (error) {
      throw new NamesrvError(
        'CONFIG_NOT_WRITABLE',
        `cannot write the configuration to ${this.path}: ${error instanceof Error ? error.message : String(error)}; what was changed holds until the next start, make the file writable or change it by hand`,
        { path: this.path, cause: error },
      );
    }
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      return await readFile(this.path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** In the encoding that the file has: what was not valid UTF-8 was read as ISO-8859-1. */
function encodeAs(text: string, former: Buffer | undefined): Buffer {
  const isLatin1 =
    former !== undefined && !Buffer.from(decodePropertiesBytes(former), 'utf8').equals(withoutMark(former));
  return Buffer.from(text, isLatin1 ? 'latin1' : 'utf8');
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
