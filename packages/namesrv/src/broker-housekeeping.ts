import type { Channel, Clock, Logger, RemotingServer, Timer } from '@rmqns/remoting';
import type { Profile } from './profile.js';
import type { RouteInfoManager } from './routeinfo/route-info-manager.js';

export interface BrokerHousekeepingOptions {
  readonly profile: Profile;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Between two expiry scans, in milliseconds; undefined: as the profile says. */
  readonly scanNotActiveBrokerInterval: number | undefined;
}

/**
 * Takes brokers off the tables that are gone without a word (upstream: `BrokerHousekeepingService` and the scan of `NamesrvController`):
 * at once when their connection ends, and by a scan when they are silent for too long, whose connections are closed too.
 */
export class BrokerHousekeeping {
  readonly #server: RemotingServer;
  readonly #routeInfoManager: RouteInfoManager;
  readonly #options: BrokerHousekeepingOptions;
  readonly #timers: Timer[] = [];

  constructor(server: RemotingServer, routeInfoManager: RouteInfoManager, options: BrokerHousekeepingOptions) {
    this.#server = server;
    this.#routeInfoManager = routeInfoManager;
    this.#options = options;
    // Idle and exception close the connection, so that close comes after each of them.
    server.on('close', (channel) => this.#routeInfoManager.onChannelDestroy(channel));
  }

  start(): void {
    const { clock, profile, scanNotActiveBrokerInterval } = this.#options;
    const periodMillis = scanNotActiveBrokerInterval ?? profile.scanPeriodMillis;
    this.#timers.push(
      clock.setTimeout(
        () => {
          this.#scan();
          this.#timers.push(clock.setInterval(() => this.#scan(), periodMillis));
        },
        Math.min(profile.scanInitialDelayMillis, periodMillis),
      ),
    );
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
  }

  #scan(): void {
    const { brokerLiveTable } = this.#routeInfoManager.tables;
    for (const expired of this.#routeInfoManager.scanNotActiveBroker(this.#options.clock.monotonic())) {
      const { connection, brokerAddr, heartbeatTimeoutMillis } = expired;
      // Another broker that is heard on the same connection keeps it open.
      if (brokerLiveTable.over(connection).length > 0) continue;
      this.#options.logger.debug(
        { addr: brokerAddr, heartbeatTimeoutMillis },
        'closing the connection of an expired broker',
      );
      const channel = connection as Channel;
      if (this.#server.channels.has(channel)) void channel.close();
    }
  }
}
