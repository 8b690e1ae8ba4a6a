import type { Channel } from '../channel/channel.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { ClosedError } from '../errors.js';
import type { CallPath } from '../rpc/call-path.js';
import type { ResolvedRemotingClientOptions } from './client-options.js';
import { Heartbeat } from './heartbeat.js';

/** Asks the servers of a client for signs of life: those that are silent, and those that were so for long before they are used again. */
export class ConnectionVerifier {
  readonly #calls: CallPath;
  readonly #options: ResolvedRemotingClientOptions;
  readonly #verifying = new Map<Channel, Promise<void>>();

  constructor(calls: CallPath, options: ResolvedRemotingClientOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** Watches a new connection. */
  addTo(channel: Channel): void {
    const { heartbeatMillis, heartbeatMisses, clock } = this.#options;
    const heartbeat = new Heartbeat({
      periodMillis: heartbeatMillis,
      misses: heartbeatMisses,
      clock,
      probe: (silent) => void this.#probe(silent, heartbeatMillis * heartbeatMisses),
    });
    channel.pipeline.addFirst('heartbeat', heartbeat);
  }

  /** Whether a connection may have died unnoticed: it was silent for long, or the machine slept. */
  isDoubtful(channel: Channel): boolean {
    const { verifyIdleMillis } = this.#options;
    return verifyIdleMillis > 0 && (Heartbeat.of(channel)?.silentMillis ?? 0) >= verifyIdleMillis;
  }

  /** Ends a connection whose peer gives no sign of life. One question, however many callers wait. */
  verify(channel: Channel): Promise<void> {
    let verified = this.#verifying.get(channel);
    if (verified === undefined) {
      verified = this.#verify(channel);
      this.#verifying.set(channel, verified);
    }
    return verified;
  }

  async #verify(channel: Channel): Promise<void> {
    const isAlive = await this.#probe(channel, this.#options.heartbeatTimeoutMillis);
    this.#verifying.delete(channel);
    if (isAlive) return;
    const address = channel.remoteAddress;
    const message = `${address} gave no sign of life after a long silence`;
    channel.destroy(new ClosedError('CONNECTION_CLOSED', message, { address }));
  }

  /** Any answer is a sign of life; a peer that knows no such request answers code 3. */
  #probe(channel: Channel, timeoutMillis: number): Promise<boolean> {
    return new Promise((resolve) => {
      const init = {
        clock: this.#options.clock,
        timeoutMillis,
        address: channel.remoteAddress,
        request: RemotingCommand.request(this.#options.heartbeatCode),
        command: 'heartbeat',
        isBackground: true,
      };
      const probe = this.#calls.begin(init, (error) => resolve(error === undefined));
      this.#calls.send(probe, channel);
    });
  }
}
