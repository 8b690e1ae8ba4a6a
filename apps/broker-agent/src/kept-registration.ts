import type { DataVersion, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger } from '@rmqns/remoting';
import { toLong } from '@rmqns/remoting/json';
import type { DataVersionStore } from './data-version-store.js';
import { RegistrationKeeper } from './registration-keeper.js';

/** How far ahead the counter on the disk is where versions come quickly. */
const RESERVED = 1_000n;

export interface KeptRegistrationOptions {
  readonly store: DataVersionStore;
  /** Whether the table is sent in parts, each with a version of its own. Default false. */
  readonly split?: boolean | undefined;
  /** False: the store is read and never written. */
  readonly persist: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is registered, on the disk before anybody sees it, so that no version comes again after a restart. */
export class KeptRegistration {
  readonly #options: KeptRegistrationOptions;
  readonly #keeper: RegistrationKeeper;
  /** The counter on the disk. */
  #reserved = 0n;

  constructor(options: KeptRegistrationOptions) {
    this.#options = options;
    this.#keeper = new RegistrationKeeper(options);
  }

  /** Whether the counter on the disk is no longer far enough ahead of this version. */
  isBehind({ counter }: DataVersion): boolean {
    return BigInt(counter ?? 0) + RESERVED / 2n > this.#reserved;
  }

  /** Why it is not on the disk. */
  get problem(): string | undefined {
    return this.#keeper.problem;
  }

  /** Settles when it is on the disk, or cannot be for now. */
  async save(wrapper: TopicConfigSerializeWrapper, brokerPermission: number): Promise<void> {
    const { persist, split = false } = this.#options;
    const { dataVersion } = wrapper;
    this.#reserved = BigInt(dataVersion.counter ?? 0) + (split ? RESERVED : 0n);
    if (!persist) return;
    const counter = toLong(this.#reserved) ?? dataVersion.counter;
    await this.#keeper.keep({ ...wrapper, dataVersion: { ...dataVersion, counter } }, brokerPermission);
  }

  close(): void {
    this.#keeper.close();
  }
}
