import type { BrokerRegistrar } from '@rmqns/namesrv-client';
import type { Logger } from '@rmqns/remoting';
import type { NameServerSource } from './name-server-source.js';

export interface FollowedNameServersOptions {
  readonly source: NameServerSource;
  readonly registrar: BrokerRegistrar;
  /** Used where the source has no list when it was first asked. */
  readonly last: readonly string[];
  readonly logger: Logger;
  /** The registrar is about to get a list. */
  readonly onUse: () => void;
  /** It has another one than before. */
  readonly onChanged: (addresses: readonly string[]) => void;
}

/** Keeps the list of a registrar's name servers as their source tells it. */
export class FollowedNameServers {
  readonly #options: FollowedNameServersOptions;
  #isClosed = false;

  constructor(options: FollowedNameServersOptions) {
    this.#options = options;
  }

  /** Settles when the source was asked, and what it had is in use. */
  async start(): Promise<void> {
    const { source, registrar, last } = this.#options;
    const use = (): void => {
      if (source.current !== undefined) this.#use(source.current);
    };
    await source.start(use);
    use();
    if (source.current === undefined && registrar.nameServerAddressList.length === 0) this.#use(last);
  }

  /** {@link start}, and says where there are none. */
  async startAndSay(): Promise<void> {
    const { source, registrar, logger } = this.#options;
    try {
      await this.start();
    } catch (error) {
      logger.error({ err: error }, 'cannot look for name servers');
      return;
    }
    const { name, problem } = source;
    if (registrar.nameServerAddressList.length === 0 && !this.#isClosed)
      logger.warn({ source: name, problem }, 'nothing is registered yet, waiting for name servers');
  }

  close(): void {
    this.#isClosed = true;
    this.#options.source.close();
  }

  #use(addresses: readonly string[]): void {
    const { source, registrar, logger, onUse, onChanged } = this.#options;
    if (this.#isClosed) return;
    const before = registrar.nameServerAddressList;
    if (addresses.length > 0) onUse();
    registrar.updateNameServerAddressList(addresses);
    const now = registrar.nameServerAddressList;
    if (JSON.stringify([...now].sort()) === JSON.stringify([...before].sort())) return;
    logger.info({ namesrv: now, before, source: source.name }, 'the list of name servers changed');
    onChanged(now);
  }
}
