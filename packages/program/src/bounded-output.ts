import type { WriteChunk } from './fd-writer.js';

export interface BoundedOutputOptions {
  /** UTF-16 units that may wait for a reader that is too slow; a line beyond them is dropped. Default 8 Mi. */
  readonly maxWaiting?: number | undefined;
  /** Told once what was dropped, as soon as the reader takes lines again; may write a line about it. */
  readonly onDropped?: ((lines: number) => void) | undefined;
}

interface Chunk {
  text: string;
  lines: number;
}

const MAX_WAITING = 8 * 1024 * 1024;
/** Lines that wait together are written together, up to about this many UTF-16 units. */
const CHUNK_LENGTH = 64 * 1024;

/** Lines on their way to a reader who may be slow, stalled or gone: whole, in order, and bounded in what waits. */
export class BoundedOutput {
  readonly #writeChunk: WriteChunk;
  readonly #maxWaiting: number;
  readonly #onDropped: (lines: number) => void;
  readonly #chunks: Chunk[] = [];
  #waiting = 0;
  #isWriting = false;
  #dropped = 0;
  /** Until half of what waited is gone, so that a slow reader sees few gaps instead of many. */
  #isDropping = false;
  #isReaderGone = false;
  /** Those who wait for the end: more than one where two have the same output. */
  readonly #onIdle = new Set<() => void>();

  constructor(writeChunk: WriteChunk, options: BoundedOutputOptions = {}) {
    this.#writeChunk = writeChunk;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this.#onDropped = options.onDropped ?? (() => {});
  }

  /** One whole line with its end. Never waits. */
  write(line: string): void {
    if (this.#isReaderGone) return;
    if (this.#isDropping || this.#waiting + line.length > this.#maxWaiting) {
      this.#isDropping = true;
      this.#dropped += 1;
      return;
    }
    this.#waiting += line.length;
    const last = this.#chunks.at(-1);
    if (last === undefined || last.text.length >= CHUNK_LENGTH) this.#chunks.push({ text: line, lines: 1 });
    else {
      last.text += line;
      last.lines += 1;
    }
    if (!this.#isWriting) this.#writeNext();
  }

  /** Settles when all is written, nobody can read it, or the time is over. Nothing may be written afterwards. May be called twice. */
  end(timeoutMillis: number): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMillis);
      this.#onIdle.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #writeNext(): void {
    const chunk = this.#chunks.shift();
    this.#isWriting = chunk !== undefined;
    if (chunk === undefined) {
      for (const onIdle of this.#onIdle) onIdle();
      return;
    }
    this.#writeChunk(Buffer.from(chunk.text), (error) => {
      this.#waiting -= chunk.text.length;
      if (isReaderGone(error)) {
        this.#isReaderGone = true;
        this.#chunks.length = 0;
      } else if (error) this.#dropped += chunk.lines;
      else this.#sayDropped();
      this.#writeNext();
    });
  }

  #sayDropped(): void {
    if (this.#dropped === 0 || this.#waiting > this.#maxWaiting / 2) return;
    const lines = this.#dropped;
    this.#dropped = 0;
    this.#isDropping = false;
    this.#onDropped(lines);
  }
}

/** For good: no line that comes later can be read. A full disk may have room again. */
function isReaderGone(error: Error | null | undefined): boolean {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}
