import type { WriteListener } from '../channel/channel-handler.js';

/** What TLS is given at once: a few records, so that little waits where no water mark sees it. */
const maxBatchBytes = 64 * 1024;

interface QueuedWrite {
  readonly parts: readonly Uint8Array[];
  readonly listener: WriteListener | undefined;
}

export interface TlsWriteBatch {
  readonly parts: Uint8Array[];
  /** Of the writes whose last byte is in `parts`. */
  readonly listeners: readonly WriteListener[];
}

/** Writes that wait to be encrypted, first what was flushed. Pure; it counts the bytes that it is responsible for. */
export class TlsWriteQueue {
  #writes: QueuedWrite[] = [];
  #taken = 0;
  #flushed = 0;
  /** Where {@link take} goes on within the first write. */
  #part = 0;
  #offset = 0;
  #waitingBytes = 0;
  #countedBytes = 0;

  /** Returns how many bytes came; undefined for what is not bytes. */
  add(message: unknown, listener: WriteListener | undefined): number | undefined {
    const parts: readonly unknown[] = Array.isArray(message) ? message : [message];
    if (!areBytes(parts)) return undefined;
    let bytes = 0;
    for (const part of parts) bytes += part.length;
    this.#writes.push({ parts, listener });
    this.#waitingBytes += bytes;
    this.#countedBytes += bytes;
    return bytes;
  }

  flush(): void {
    this.#flushed = this.#writes.length;
  }

  /** The next flushed bytes, at most 64 KiB; undefined when none wait. */
  take(): TlsWriteBatch | undefined {
    if (this.#taken === this.#flushed) return undefined;
    const parts: Uint8Array[] = [];
    const listeners: WriteListener[] = [];
    let room = maxBatchBytes;
    while (this.#taken < this.#flushed && room > 0) {
      const write = this.#writes[this.#taken];
      const part = write?.parts[this.#part];
      if (part === undefined) {
        if (write?.listener !== undefined) listeners.push(write.listener);
        this.#taken++;
        this.#part = 0;
        continue;
      }
      const piece = part.subarray(this.#offset, this.#offset + room);
      this.#offset += piece.length;
      if (this.#offset === part.length) {
        this.#part++;
        this.#offset = 0;
      }
      if (piece.length > 0) parts.push(piece);
      room -= piece.length;
    }
    this.#waitingBytes -= maxBatchBytes - room;
    this.#forgetTaken();
    return { parts, listeners };
  }

  /** How many bytes are not waiting here any more since the last call. */
  release(): number {
    const bytes = this.#countedBytes - this.#waitingBytes;
    this.#countedBytes = this.#waitingBytes;
    return bytes;
  }

  /** Drops what was not flushed; returns its listeners. */
  dropUnflushed(): WriteListener[] {
    return this.#drop(this.#flushed);
  }

  /** Drops everything; returns the listeners of all that was not taken whole. */
  dropAll(): WriteListener[] {
    const dropped = this.#drop(this.#taken);
    this.#writes = [];
    this.#taken = 0;
    this.#flushed = 0;
    this.#waitingBytes = 0;
    return dropped;
  }

  #drop(from: number): WriteListener[] {
    const listeners: WriteListener[] = [];
    for (const { parts, listener } of this.#writes.slice(from)) {
      for (const part of parts) this.#waitingBytes -= part.length;
      if (listener !== undefined) listeners.push(listener);
    }
    this.#writes.length = from;
    return listeners;
  }

  /** Copied once for each half that left: a queue that never runs empty must not grow for ever. */
  #forgetTaken(): void {
    if (this.#taken < this.#writes.length && (this.#taken < 1024 || this.#taken * 2 < this.#writes.length)) return;
    this.#writes = this.#writes.slice(this.#taken);
    this.#flushed -= this.#taken;
    this.#taken = 0;
  }
}

function areBytes(parts: readonly unknown[]): parts is readonly Uint8Array[] {
  return parts.every((part) => part instanceof Uint8Array);
}
