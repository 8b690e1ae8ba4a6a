import type { RemotingClient } from '../../src/client/remoting-client.js';
import type { Clock } from '../../src/clock.js';

const MINUTE = 60_000;

/** Counts what clients do among faults: how often they dial, and how many connections they have. */
export class ChaosJudge {
  /** The most dials of one client in any 60 s. */
  mostDialsAMinute = 0;
  dials = 0;
  readonly faults: string[] = [];
  readonly #clock: Clock;
  readonly #bound: number;

  constructor(clock: Clock, dialsAMinute: number) {
    this.#clock = clock;
    this.#bound = dialsAMinute;
  }

  watch(client: RemotingClient): void {
    const times: number[] = [];
    const dialled = (): void => {
      const now = this.#clock.monotonic();
      times.push(now);
      while ((times[0] ?? now) <= now - MINUTE) times.shift();
      this.dials++;
      this.mostDialsAMinute = Math.max(this.mostDialsAMinute, times.length);
      if (times.length === this.#bound + 1) this.faults.push(`a client dialled ${times.length} times within a minute`);
    };
    client.on('connect', dialled).on('connectFailed', dialled);
  }

  /** How long until the address may be dialled again, for each of the clients; then a call must succeed. */
  static waitMillis(client: RemotingClient): number {
    return Math.max(0, ...client.describe().connectFailures.map(({ nextDialMillis }) => nextDialMillis));
  }

  /** One connection for each address, when nothing is wrong. */
  checkConnections(clients: readonly RemotingClient[], after: string): void {
    for (const client of clients) {
      const addresses = client.describe().channels.length;
      if (addresses !== 1) this.faults.push(`after ${after} a client has ${addresses} connections to one address`);
    }
  }
}
