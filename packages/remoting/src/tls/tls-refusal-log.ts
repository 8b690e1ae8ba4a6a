import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { TlsError } from './tls-error.js';

const windowMillis = 10_000;
const maxLinesPerWindow = 10;

/**
 * One line for each peer whose TLS a server refuses or gives up, without a stack: it is the peer's affair. At most ten in 10 s; who floods a
 * port does not also fill the disk. The next line says how many had none.
 */
export class TlsRefusalLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #left = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  refused(error: TlsError): void {
    const now = this.#clock.monotonic();
    if (now - this.#since >= windowMillis) {
      this.#since = now;
      this.#lines = 0;
    }
    if (this.#lines >= maxLinesPerWindow) {
      this.#left++;
      return;
    }
    this.#lines++;
    const more = this.#left === 0 ? '' : ` (${this.#left} more like this were not logged)`;
    this.#left = 0;
    this.#logger.warn({ address: error.address }, `closing the connection: ${error.message}${more}`);
  }
}
