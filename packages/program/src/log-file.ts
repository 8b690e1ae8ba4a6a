import { closeSync, openSync } from 'node:fs';
import { type WriteChunk, writeToFile } from './fd-writer.js';

/** A log file that is appended to, and can be opened again by its name after somebody moved it away, as logrotate does. */
export class LogFile {
  readonly #path: string;
  #fd: number;
  /** Those that were in use when the file was opened again. */
  #former: number[] = [];
  #isWriting = false;

  /** @throws Error of the file system when it cannot be opened */
  constructor(path: string) {
    this.#path = path;
    this.#fd = openLogFile(path);
  }

  readonly write: WriteChunk = (chunk, done) => {
    this.#isWriting = true;
    writeToFile(this.#fd, chunk, (error) => {
      this.#isWriting = false;
      this.#closeFormer();
      done(error);
    });
  };

  /**
   * Writes what comes next to the file that has the name now, and makes it where there is none.
   *
   * @throws Error of the file system when it cannot be opened; the former file stays in use
   */
  reopen(): void {
    const fd = openLogFile(this.#path);
    this.#former.push(this.#fd);
    this.#fd = fd;
    if (!this.#isWriting) this.#closeFormer();
  }

  #closeFormer(): void {
    for (const fd of this.#former.splice(0)) closeSync(fd);
  }
}

function openLogFile(path: string): number {
  return openSync(path, 'a', 0o640);
}
