import type { RemotingCommand } from '../command/remoting-command.js';
import type { RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { InvokeCallback } from './response-future.js';

/** The callback of an asynchronous call: it runs never before the call has returned, and what it throws goes to the logger. */
export class AsyncCallback {
  readonly #callback: InvokeCallback;
  readonly #address: string | undefined;
  readonly #logger: Logger;
  #hasReturned = false;

  constructor(callback: InvokeCallback, address: string | undefined, logger: Logger) {
    this.#callback = callback;
    this.#address = address;
    this.#logger = logger;
  }

  /** The call that was to be begun has returned. */
  returned(): void {
    this.#hasReturned = true;
  }

  readonly tell: InvokeCallback = (error, response) => {
    if (this.#hasReturned) this.#call(error, response);
    else queueMicrotask(() => this.#call(error, response));
  };

  #call(error: RemotingError | undefined, response: RemotingCommand | undefined): void {
    try {
      // What an async function rejects with is its failure too.
      const result: unknown = this.#callback(error, response);
      if (result instanceof Promise) result.catch((thrown: unknown) => this.#report(thrown));
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  #report(thrown: unknown): void {
    this.#logger.error({ err: thrown, address: this.#address }, 'a callback of invokeAsync threw');
  }
}
