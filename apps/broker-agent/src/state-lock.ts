import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import type { Clock, Logger } from '@rmqns/remoting';
import { attempt } from './attempt.js';

export interface StateLockOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Another process has the state directory. */
export class StateInUseError extends Error {
  constructor(directory: string, pid: number | undefined) {
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    super(
      `${who} is an agent with the same state directory, ${directory}; ` +
        'two agents of one node take it out of the routes as one of them ends, so stop that one first',
    );
    this.name = 'StateInUseError';
  }
}

/** An agent that was told to stop is gone by then. */
const MAX_WAIT_MILLIS = 5_000;
const RETRY_MILLIS = 100;
const ASK_MILLIS = 1_000;

/** Those of this process: an agent with another configuration begins before the one in whose place it comes has ended. */
const held = new Map<string, { readonly server: Server; holders: number }>();

/**
 * Keeps a state directory for the agents of one process: two processes that register one node would take it out of the routes when either
 * ends, and count the data version against each other.
 *
 * The lock is an abstract Unix socket named after the directory's device and inode. The kernel drops it with the process, however that ends,
 * so none is ever stale. It is seen within one network namespace; where there are no such sockets, on other systems than Linux, all is free.
 */
export class StateLock {
  readonly #options: StateLockOptions;
  #name: string | undefined;

  constructor(options: StateLockOptions) {
    this.#options = options;
  }

  /**
   * Takes the directory, which must be there; waits 5 s for another process that is about to end.
   *
   * @returns false: the signal came first
   * @throws StateInUseError; the file system's error
   */
  async acquire(signal: AbortSignal): Promise<boolean> {
    if (process.platform !== 'linux') return !signal.aborted;
    const { directory, clock, logger } = this.#options;
    const { dev, ino } = await stat(directory, { bigint: true });
    const name = `\0rmq-agent-state:${dev}:${ino}`;
    const deadline = clock.monotonic() + MAX_WAIT_MILLIS;
    let isTold = false;
    while (!signal.aborted) {
      if (await hold(name, logger)) {
        this.#name = name;
        if (!signal.aborted) return true;
        this.release();
        return false;
      }
      const pid = await askPid(name, clock, signal);
      if (clock.monotonic() >= deadline) throw new StateInUseError(directory, pid);
      if (!isTold) logger.warn({ directory, pid }, 'another agent has the state directory, waiting 5 s for it to end');
      isTold = true;
      await attempt(() => new Promise(() => {}), RETRY_MILLIS, clock, signal).catch(() => {});
    }
    return false;
  }

  /** Twice is as good as once. */
  release(): void {
    const lock = this.#name === undefined ? undefined : held.get(this.#name);
    if (this.#name === undefined || lock === undefined) return;
    lock.holders -= 1;
    if (lock.holders === 0) {
      held.delete(this.#name);
      lock.server.close();
    }
    this.#name = undefined;
  }
}

/** @returns false: another process has it */
async function hold(name: string, logger: Logger): Promise<boolean> {
  const own = held.get(name);
  if (own !== undefined) {
    own.holders += 1;
    return true;
  }
  const server = createServer((socket) => socket.on('error', () => {}).end(`${process.pid}\n`));
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve).listen(name, () => resolve(undefined));
  });
  if (problem?.code === 'EADDRINUSE') return false;
  if (problem !== undefined)
    logger.warn({ problem: problem.message }, 'cannot see whether another agent has the state directory');
  server.on('error', () => {}).unref();
  held.set(name, { server, holders: 1 });
  return true;
}

/** `undefined`: it does not say, being stopped or gone meanwhile. */
async function askPid(name: string, clock: Clock, signal: AbortSignal): Promise<number | undefined> {
  const asked = (over: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(name).setEncoding('utf8').once('data', resolve).once('error', reject);
      socket.once('close', () => reject(new Error('it says nothing')));
      over.addEventListener('abort', () => socket.destroy(), { once: true });
    });
  const text = await attempt(asked, ASK_MILLIS, clock, signal).catch(() => '');
  return /^\d+\n$/.test(text) ? Number(text) : undefined;
}
