import { describeFileError } from '@rmqns/program';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import type { DataVersionStore } from './data-version-store.js';

export interface RegistrationKeeperOptions {
  readonly store: DataVersionStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Until what could not be written is tried again. */
const RETRY_MILLIS = 10_000;

/**
 * Keeps what was registered last on the disk. A full disk keeps nobody from registering; but a restart would then begin with an older data
 * version, so what could not be written is tried again until it can.
 */
export class RegistrationKeeper {
  readonly #options: RegistrationKeeperOptions;
  #wanted: readonly [TopicConfigSerializeWrapper, number] | undefined;
  #problem: string | undefined;
  #writing: Promise<void> = Promise.resolve();
  #retry: Timer | undefined;

  constructor(options: RegistrationKeeperOptions) {
    this.#options = options;
  }

  /** Why what was registered last is not on the disk; `undefined` when it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Settles when it is on the disk, or could not be written the first time. Never rejects. */
  keep(wrapper: TopicConfigSerializeWrapper, brokerPermission: number): Promise<void> {
    this.#wanted = [wrapper, brokerPermission];
    return this.#write();
  }

  /** Nothing is tried again. */
  close(): void {
    this.#wanted = undefined;
    this.#retry?.cancel();
  }

  /** One after the other: an older table must not replace a newer one. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWanted());
    return this.#writing;
  }

  async #writeWanted(): Promise<void> {
    const { store, clock, logger } = this.#options;
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    this.#retry?.cancel();
    try {
      await store.save(...wanted);
      if (this.#problem !== undefined)
        logger.info({ file: store.path }, 'the data version is kept over a restart again');
      this.#problem = undefined;
    } catch (error) {
      const problem = describeFileError(error);
      if (problem !== this.#problem)
        logger.error({ file: store.path, problem }, 'cannot keep the data version over a restart');
      this.#problem = problem;
      if (this.#wanted !== undefined) this.#retry = clock.setTimeout(() => void this.#write(), RETRY_MILLIS, true);
    }
  }
}
