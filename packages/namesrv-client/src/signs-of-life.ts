import type { Timer } from '@rmqns/remoting';
import type { BrokerIdentity } from './broker-identity.js';
import type { ResolvedBrokerRegistrarOptions } from './broker-registrar-options.js';
import { type MinBroker, minBrokerOf } from './min-broker-id.js';
import type { NameServerClient } from './name-server-client.js';
import type { NameServerLink } from './name-server-link.js';
import { ownVersion } from './need-register.js';

/** For the members of the group (upstream: `BrokerOuterAPI.syncBrokerMemberGroup`). */
const MEMBERS_TIMEOUT_MILLIS = 3_000;

export interface SignsOfLifeOptions {
  readonly registrar: ResolvedBrokerRegistrarOptions;
  readonly client: NameServerClient;
  /** The links of the moment, none while nothing is to be heard of the broker. */
  readonly links: () => Iterable<NameServerLink>;
  readonly identity: () => BrokerIdentity;
  /** Told of the member with the smallest id at each answer, where the broker may act as master. */
  readonly onMinBroker: (min: MinBroker | undefined) => void;
}

/** What tells name servers between the rounds that a broker lives, and a broker that may act as master who its group is. */
export class SignsOfLife {
  readonly #options: SignsOfLifeOptions;
  #timer: Timer | undefined;
  #isAskingMembers = false;

  constructor(options: SignsOfLifeOptions) {
    this.#options = options;
  }

  start(): void {
    const { registrar, client } = this.#options;
    if (registrar.heartbeatIntervalMillis !== undefined)
      this.#timer = client.clock.setInterval(() => this.#beat(), registrar.heartbeatIntervalMillis);
  }

  close(): void {
    this.#timer?.cancel();
  }

  #beat(): void {
    const { registrar, client, links } = this.#options;
    const { sendHeartbeatTimeoutMillis: timeoutMillis, compatibleWithOldNameSrv, fiveX, topics } = registrar;
    const identity = this.#options.identity();
    const send = async (address: string, signal: AbortSignal): Promise<void> => {
      const options = { timeoutMillis, signal, fiveX };
      if (!compatibleWithOldNameSrv) return await client.brokerHeartbeat(address, identity, options);
      const own = ownVersion(topics.current().dataVersion, fiveX);
      await client.queryDataVersionOneway(address, identity, own, options);
    };
    for (const link of links()) void link.heartbeat(send);
    if (identity.enableActingMaster === true) void this.#askMembers(identity);
  }

  /** Of the first name server that has the broker, as upstream of the one that its client chose; one question at a time. */
  async #askMembers(identity: BrokerIdentity): Promise<void> {
    const { links, onMinBroker } = this.#options;
    const link = [...links()].find(({ isRegistered }) => isRegistered);
    if (link === undefined || this.#isAskingMembers) return;
    this.#isAskingMembers = true;
    const members = await link.members(identity, MEMBERS_TIMEOUT_MILLIS);
    this.#isAskingMembers = false;
    if (members !== undefined) onMinBroker(minBrokerOf(members));
  }
}
