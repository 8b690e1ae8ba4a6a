import type { Socket } from 'node:net';
import type { AcceptOptions, RemotingServer, Timer } from '@rmqns/remoting';
import { OwnerLane, type OwnerLaneOptions } from './owner-lane.js';
import type { ConnectionTaken, FromWorker, WorkerSettings } from './worker-messages.js';
import type { SpawnWorker, WorkerProcess } from './worker-process.js';

const FIRST_RESTART_MILLIS = 100;
const MAX_RESTART_MILLIS = 10_000;
/** A worker that served for so long is started again as soon as one that has never failed. */
const STEADY_MILLIS = 60_000;
/** What a stop may take beside the times that are set. */
const REST_MILLIS = 2_000;

/** How long a stop may take, as for a server's close. */
export interface StopTimes {
  readonly graceMillis: number;
  readonly goAwayMillis: number;
}

export interface WorkerSlotOptions extends Omit<OwnerLaneOptions, 'socket' | 'onBroken'> {
  readonly spawn: SpawnWorker;
  readonly settings: WorkerSettings;
  /** Serves the connections that a worker gives back. */
  readonly server: RemotingServer;
}

/** What a worker is doing. */
export interface WorkerDescription {
  /** Counted from 1. */
  readonly worker: number;
  readonly pid: number | null;
  readonly state: 'starting' | 'serving' | 'ended';
  /** How often it was started again. */
  readonly restarts: number;
  /** Connections that it serves. */
  readonly connections: number;
  /** Since it was started last; null where it does not say. */
  readonly lookups: number | null;
  /** Those lookups for which the owner was asked. */
  readonly misses: number | null;
  /** Routes that it has a copy of. */
  readonly copies: number | null;
}

/** The place of one worker: starts its process, again when it has ended, and knows the connections that it serves. */
export class WorkerSlot {
  readonly #worker: number;
  readonly #options: WorkerSlotOptions;
  /** Those lent to the worker. Each is open here, too, and read by nobody but the worker. */
  readonly #lent = new Map<number, Socket>();
  #process: WorkerProcess | undefined;
  #lane: OwnerLane | undefined;
  #isReady = false;
  #lastId = 0;
  #restarts = 0;
  #failures = 0;
  #startedMillis = 0;
  #timer: Timer | undefined;
  #isClosing = false;
  #onStarted: () => void = () => {};
  #onEnded: () => void = () => {};

  constructor(worker: number, options: WorkerSlotOptions) {
    this.#worker = worker;
    this.#options = options;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get connections(): number {
    return this.#lent.size;
  }

  /** Resolves when the worker serves, or has ended for the first time. */
  start(): Promise<void> {
    const started = new Promise<void>((resolve) => {
      this.#onStarted = resolve;
    });
    this.#spawn();
    return started;
  }

  /** Gives the worker a connection of which nothing has been read. */
  lend(socket: Socket): void {
    const id = ++this.#lastId;
    // Nothing is read or written here meanwhile, and so nothing fails; but an error that nobody hears would end the process.
    socket.on('error', () => this.#closed(id));
    this.#lent.set(id, socket);
    this.#process?.send({ type: 'connection', id }, socket, (error) => {
      // It never came there.
      if (error !== null) this.#serve(id);
    });
  }

  async describe(): Promise<WorkerDescription> {
    const counters = await this.#lane?.describe();
    const { lookups = null, misses = null, copies = null } = counters ?? {};
    return {
      worker: this.#worker,
      pid: this.#process?.pid ?? null,
      state: this.#isReady ? 'serving' : this.#process === undefined ? 'ended' : 'starting',
      restarts: this.#restarts,
      connections: this.#lent.size,
      lookups,
      misses,
      copies,
    };
  }

  /** Has the worker end as a server does; what is not done in time is cut off. Resolves when the process has ended. */
  async close({ graceMillis, goAwayMillis }: StopTimes): Promise<void> {
    this.#isClosing = true;
    this.#timer?.cancel();
    const running = this.#process;
    if (running === undefined) return;
    const ended = new Promise<void>((resolve) => {
      this.#onEnded = resolve;
    });
    running.send({ type: 'stop', graceMillis, goAwayMillis });
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => running.kill(), Math.max(graceMillis, goAwayMillis) + REST_MILLIS);
    await ended;
    timer.cancel();
  }

  #spawn(): void {
    const { spawn, settings, clock } = this.#options;
    this.#startedMillis = clock.monotonic();
    const started = spawn({ onMessage: (message) => this.#told(message), onExit: (how) => this.#exited(how) });
    this.#process = started;
    if (started.pid === undefined) return;
    this.#lane = new OwnerLane({ ...this.#options, socket: started.lane, onBroken: () => started.kill() });
    started.send({ type: 'start', settings });
  }

  #told(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#options.logger.info(
          { worker: this.#worker, workerPid: this.#process?.pid },
          `worker ${this.#worker} serves route lookups (pid ${this.#process?.pid})`,
        );
        this.#onStarted();
        break;
      case 'closed':
        this.#closed(message.id);
        break;
      case 'taken':
        this.#taken(message);
        break;
      case 'log':
        this.#options.logger[message.level]({ ...message.fields, worker: this.#worker }, message.message);
        break;
    }
  }

  #closed(id: number): void {
    this.#lent.get(id)?.destroy();
    this.#lent.delete(id);
  }

  #taken({ id, bytes, remoteAddress, attributes }: ConnectionTaken): void {
    if (bytes.length > 0) this.#lent.get(id)?.unshift(bytes);
    this.#serve(id, { remoteAddress, attributes });
  }

  /** From now on the connection is served here. */
  #serve(id: number, known: AcceptOptions = {}): void {
    const socket = this.#lent.get(id);
    this.#lent.delete(id);
    if (socket === undefined || socket.destroyed) return;
    socket.removeAllListeners('error');
    this.#options.server.accept(socket, known);
  }

  #exited(how: string): void {
    const { clock, logger } = this.#options;
    const pid = this.#process?.pid;
    const connections = this.#lent.size;
    this.#isReady = false;
    this.#process = undefined;
    this.#lane?.end();
    this.#lane = undefined;
    for (const id of [...this.#lent.keys()]) this.#closed(id);
    this.#onStarted();
    this.#onEnded();
    if (this.#isClosing) return;
    if (clock.monotonic() - this.#startedMillis >= STEADY_MILLIS) this.#failures = 0;
    const delayMillis = Math.min(FIRST_RESTART_MILLIS * 2 ** this.#failures, MAX_RESTART_MILLIS);
    this.#failures++;
    this.#timer = clock.setTimeout(() => this.#restart(), delayMillis);
    const name = `worker ${this.#worker}${pid === undefined ? '' : ` (pid ${pid})`}`;
    logger.error(
      { worker: this.#worker, workerPid: pid, connections },
      `${name} ${how}; its ${connections} connections are closed, and it is started again in ${delayMillis} ms`,
    );
  }

  #restart(): void {
    this.#restarts++;
    this.#spawn();
  }
}
