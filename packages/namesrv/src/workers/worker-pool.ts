import type { Socket } from 'node:net';
import { HandedOutRoutes } from './handed-out-routes.js';
import { type StopTimes, type WorkerDescription, WorkerSlot, type WorkerSlotOptions } from './worker-slot.js';

export interface WorkerPoolOptions extends Omit<WorkerSlotOptions, 'routes'> {
  readonly workers: number;
  /** 0 is any number. */
  readonly maxConnections: number;
}

/** The processes that serve lookups: spreads the connections over them. */
export class WorkerPool {
  /** Which of them has a copy of what. */
  readonly routes = new HandedOutRoutes();
  readonly #options: WorkerPoolOptions;
  readonly #slots: readonly WorkerSlot[];
  #isClosing = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const slotOptions = { ...options, routes: this.routes };
    this.#slots = Array.from({ length: options.workers }, (_, index) => new WorkerSlot(index + 1, slotOptions));
  }

  /** Resolves when each worker serves, or has failed to; those are started again. */
  async start(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.start()));
  }

  /** Gives a new connection to the worker that has fewest. False where none serves: then it is served here. */
  divert(socket: Socket): boolean {
    if (this.#isClosing) return false;
    const { maxConnections, server, logger } = this.#options;
    let idlest: WorkerSlot | undefined;
    let lent = 0;
    for (const slot of this.#slots) {
      lent += slot.connections;
      if (slot.isReady && (idlest === undefined || slot.connections < idlest.connections)) idlest = slot;
    }
    if (maxConnections > 0 && lent + server.channels.size >= maxConnections) {
      const { remoteAddress: address } = socket;
      logger.debug({ address }, `refusing ${address}: ${maxConnections} connections stand`);
      socket.destroy();
      return true;
    }
    idlest?.lend(socket);
    return idlest !== undefined;
  }

  describe(): Promise<WorkerDescription[]> {
    return Promise.all(this.#slots.map((slot) => slot.describe()));
  }

  /** Ends all, as a server ends; resolves when no process is left. */
  async close(times: StopTimes): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#slots.map((slot) => slot.close(times)));
  }
}
