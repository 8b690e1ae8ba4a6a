import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import type { Clock } from '@rmqns/remoting';
import { readRegularFile } from './read-regular-file.js';

export interface ConfigFileOptions {
  readonly clock: Clock;
  /** Told when nothing came for 3 s from what is no regular file. */
  readonly onWait: () => void;
}

const MAX_MEBIBYTES = 16;

/** Until it is told that the configuration is waited for. */
const SLOW_MILLIS = 3_000;

/** Nobody writes: the program at the other end of a pipe, or the person at the terminal, would have by then. */
const MAX_SILENCE_MILLIS = 30_000;

/**
 * What `-c` names: a file, which can be read as often as one likes, or a pipe, a socket or a terminal, `/dev/stdin` for instance, which can
 * be read once.
 */
export class ConfigFile {
  readonly path: string;
  readonly #options: ConfigFileOptions;
  #isReadUp = false;

  constructor(path: string, options: ConfigFileOptions) {
    this.path = path;
    this.#options = options;
  }

  /** @throws the file system's error; an error with a sentence for what cannot be read again, is silent for 30 s, or is too large */
  async read(): Promise<Buffer> {
    const again =
      'it is no regular file, and what came from it was read; start the agent again to have it take another';
    if (this.#isReadUp) throw new Error(again);
    const status = await stat(this.path);
    if (status.isFile() || status.isDirectory()) return await readRegularFile(this.path, MAX_MEBIBYTES);
    this.#isReadUp = true;
    return await this.#readAll(openStream(this.path, status));
  }

  async #readAll(stream: Readable): Promise<Buffer> {
    const { clock, onWait } = this.#options;
    const listen = () =>
      clock.setTimeout(
        () => stream.destroy(new Error(`nothing came from it for ${MAX_SILENCE_MILLIS / 1_000} s`)),
        MAX_SILENCE_MILLIS,
      );
    const slow = clock.setTimeout(onWait, SLOW_MILLIS);
    let silent = listen();
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        silent.cancel();
        silent = listen();
        size += chunk.length;
        if (size > MAX_MEBIBYTES * 1_048_576) throw new Error(`it is larger than ${MAX_MEBIBYTES} MiB`);
        chunks.push(chunk);
      }
    } finally {
      silent.cancel();
      slow.cancel();
    }
    return Buffer.concat(chunks);
  }
}

/** None of these keeps a thread of the pool waiting, which would keep the process from ending. */
function openStream(path: string, status: Stats): Readable {
  const inherited = inheritedFd(path);
  if (status.isSocket() && inherited === undefined) throw new Error('it is a socket');
  const fd = inherited ?? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (isatty(fd)) return new ReadStream(fd);
  if (status.isFIFO() || status.isSocket()) return new Socket({ fd, readable: true, writable: false });
  return createReadStream(path, { fd });
}

/** Opened by its name a pipe whose writer has gone would not end, and a socket cannot be. */
function inheritedFd(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];
  return path === '/dev/stdin' ? 0 : number === undefined ? undefined : Number(number);
}
