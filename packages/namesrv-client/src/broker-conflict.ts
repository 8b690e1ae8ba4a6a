import { GetBrokerClusterInfo, MqVersion } from '@rmqns/protocol';
import type { Channel } from '@rmqns/remoting';
import type { Long } from '@rmqns/remoting/json';
import type { BrokerIdentity } from './broker-identity.js';
import type { NameServerClient, RequestOptions } from './name-server-client.js';

/** A name server has our broker's name and id at an address that is not ours. */
export interface BrokerConflict {
  readonly nameServer: string;
  readonly brokerName: string;
  readonly brokerId: Long;
  /** Ours, which is not registered there. */
  readonly brokerAddr: string;
  /** The other one. */
  readonly holderAddr: string;
}

/** Where a registration stands back for another broker. */
export class BrokerConflictError extends Error {
  readonly conflict: BrokerConflict;

  constructor(conflict: BrokerConflict) {
    const { nameServer, brokerName, brokerId, brokerAddr, holderAddr } = conflict;
    super(
      `${nameServer} has ${brokerName} with id ${brokerId} at ${holderAddr}, not at ${brokerAddr}; nothing is registered there until the other is gone: give one of them another id`,
    );
    this.conflict = conflict;
  }
}

/**
 * Asks a name server for the members of a broker group. It lists nobody whose connection has ended or who was silent for too long, so whoever is
 * listed lives, as far as it knows. 322 would not tell who has a name and id: it finds brokers by address; and the answer to 103 comes when the
 * other is overwritten.
 */
export class MembersQuery {
  readonly #client: NameServerClient;
  readonly #address: string;
  /** The connection whose name server is of 5.x and answers 901; those of 4.x leave that unanswered. */
  #fiveXChannel: Channel | undefined;

  constructor(client: NameServerClient, address: string) {
    this.#client = client;
    this.#address = address;
  }

  /**
   * By 106 the first time on a connection, and by 901, which is short, where the answer came from a name server that knows it.
   *
   * @returns addresses by id
   * @throws as the calls of `NameServerClient`
   */
  async ask({ clusterName, brokerName }: BrokerIdentity, options: RequestOptions): Promise<ReadonlyMap<Long, string>> {
    const channel = this.#client.remotingClient.channel(this.#address);
    if (channel !== undefined && channel === this.#fiveXChannel)
      return (await this.#client.getBrokerMemberGroup(this.#address, clusterName, brokerName, options)).brokerAddrs;
    const { body, command } = await this.#client.remotingClient.call(this.#address, GetBrokerClusterInfo, {}, options);
    if (command.version >= MqVersion.V5_0_0) this.#fiveXChannel = this.#client.remotingClient.channel(this.#address);
    return body.brokerAddrTable.get(brokerName)?.brokerAddrs ?? new Map();
  }
}
