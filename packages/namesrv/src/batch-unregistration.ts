import type { Logger } from '@rmqns/remoting';
import type { UnregisterBrokerRequest } from './routeinfo/route-info-manager.js';
import type { SlicedWork, Steps } from './sliced-work.js';

export interface BatchUnregistrationOptions {
  /** How many may wait for the next batch. */
  readonly capacity: number;
  /** Takes one broker off the tables. */
  readonly unregister: (request: UnregisterBrokerRequest) => void;
  readonly slicedWork: SlicedWork;
  readonly logger: Logger;
}

/**
 * Unregistrations that are answered before they are carried out (upstream 5.x: `BatchUnregistrationService`; reference: nameserver 3.7).
 *
 * What comes in one turn is a batch, which is carried out from the next turn on: one by one in their order, in slices of a few milliseconds.
 * One that fails is logged and takes no other with it; at upstream the rest of its batch is lost.
 */
export class BatchUnregistration {
  readonly #capacity: number;
  readonly #unregister: (request: UnregisterBrokerRequest) => void;
  readonly #slicedWork: SlicedWork;
  readonly #logger: Logger;
  readonly #waiting: UnregisterBrokerRequest[] = [];
  /** Whether a batch will take those that wait. */
  #isScheduled = false;

  constructor({ capacity, unregister, slicedWork, logger }: BatchUnregistrationOptions) {
    this.#capacity = capacity;
    this.#unregister = unregister;
    this.#slicedWork = slicedWork;
    this.#logger = logger;
  }

  /** Takes one; false when as many wait as may. */
  submit(request: UnregisterBrokerRequest): boolean {
    if (this.#waiting.length >= this.#capacity) return false;
    this.#waiting.push(request);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      void this.#slicedWork.run([this], this.#work());
    }
    return true;
  }

  /** Resolves when those that were taken until now are carried out, whatever comes meanwhile; `undefined` when they are. */
  settled(): Promise<unknown> | undefined {
    return this.#slicedWork.after(this);
  }

  *#work(): Steps<void> {
    this.#isScheduled = false;
    for (const request of this.#waiting.splice(0)) {
      try {
        this.#unregister(request);
      } catch (error) {
        this.#logger.error(
          { err: error, broker: request.brokerName, addr: request.brokerAddr },
          `the broker ${request.brokerAddr} could not be unregistered; it stays until its connection ends or it expires`,
        );
      }
      yield;
    }
  }
}
