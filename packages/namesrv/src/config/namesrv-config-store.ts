import { decodePropertiesBytes, editProperties } from '@rmqns/protocol';
import { NamesrvError } from '../errors.js';
import { updateFile } from '../kvconfig/replace-file.js';

/**
 * Brings changed options to the file `configStorePath`, which people edit too: only the lines of those keys are rewritten. Each write
 * replaces the file as a whole, with the former content beside it as `.bak` and of the same mode and owner; writes follow each other.
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
      await updateFile(this.path, (former) => edited(former, values), 'keep');
    } catch (error) {
      throw new NamesrvError(
        'CONFIG_NOT_WRITABLE',
        `cannot write the configuration to ${this.path}: ${error instanceof Error ? error.message : String(error)}; what was changed holds until the next start, make the file writable or change it by hand`,
        { path: this.path, cause: error },
      );
    }
  }
}

/** The file with these values, in the encoding that it has: what is not valid UTF-8 is read as ISO-8859-1. */
function edited(former: Buffer | undefined, values: ReadonlyMap<string, string>): Buffer {
  const text = former === undefined ? '' : decodePropertiesBytes(former);
  const after = editProperties(text, values);
  if (former === undefined) return Buffer.from(after);
  if (after === text) return former;
  return Buffer.from(after, Buffer.from(text).equals(withoutMark(former)) ? 'utf8' : 'latin1');
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
