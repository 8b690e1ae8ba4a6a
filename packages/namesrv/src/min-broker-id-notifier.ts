import { NotifyMinBrokerIdChange } from '@rmqns/protocol';
import { type Clock, type Logger, RemotingClient, RemotingError, type TlsClientOptions } from '@rmqns/remoting';
import type { MinBrokerIdEvent } from './namesrv-event.js';

/** Upstream's timeout for each message. */
const TIMEOUT_MILLIS = 300;

export interface MinBrokerIdNotifierOptions {
  /** MQVersion ordinal that the messages carry. */
  readonly version: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `undefined` for plain connections. */
  readonly tls: TlsClientOptions | undefined;
}

/**
 * Tells the members of a group when its smallest id changed (905; reference: nameserver 2.17, 3.6). One way: who does not hear of it asks
 * by itself soon. One member that cannot be reached keeps nobody from hearing, other than in Apache. Dials nothing before the first message.
 */
export class MinBrokerIdNotifier {
  readonly #options: MinBrokerIdNotifierOptions;
  #client: RemotingClient | undefined;

  constructor(options: MinBrokerIdNotifierOptions) {
    this.#options = options;
  }

  notify({ minBrokerId, minBrokerAddr, offlineBrokerAddr, haBrokerAddr, recipients }: MinBrokerIdEvent): void {
    const { version, clock, logger, tls } = this.#options;
    this.#client ??= new RemotingClient({ version, clock, logger, tls });
    const header = { minBrokerId, minBrokerAddr, offlineBrokerAddr, haBrokerAddr };
    for (const address of recipients) {
      this.#client
        .oneway(address, NotifyMinBrokerIdChange, header, { timeoutMillis: TIMEOUT_MILLIS })
        .catch((error: unknown) => {
          const { message } = RemotingError.from(error, 'SEND_FAILED', 'the message was not sent', { address });
          logger.debug({ address }, `${address} was not told of the smallest broker id: ${message}`);
        });
    }
  }

  async close(): Promise<void> {
    await this.#client?.destroy();
  }
}
