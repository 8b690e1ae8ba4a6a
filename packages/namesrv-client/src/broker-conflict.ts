import { GetBrokerClusterInfo, MqVersion } from '@rmqns/protocol';
import { RemotingError } from '@rmqns/remoting';
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
  /** Whether the name server was of 5.x when it last said: it answers 901 then, which those of 4.x leave unanswered. */
  #isFiveX = false;

  constructor(client: NameServerClient, address: string) {
    this.#client = client;
    this.#address = address;
  }

  /**
   * By 106 the first time, which answers with all brokers there are; and by 901, which is short, where the answer came from a name server
   * that knows it. One that comes back is taken for what it was: a thousand brokers that come back to it must not ask it for all of them
   * each. When it leaves 901 without a good answer, 106 is next.
   *
   * @returns addresses by id
   * @throws as the calls of `NameServerClient`
   */
  async ask({ clusterName, brokerName }: BrokerIdentity, options: RequestOptions): Promise<ReadonlyMap<Long, string>> {
    if (this.#isFiveX) {
      try {
        return (await this.#client.getBrokerMemberGroup(this.#address, clusterName, brokerName, options)).brokerAddrs;
      } catch (error) {
        // A lost connection says nothing about what comes back.
        if (RemotingError.is(error) && (error.code === 'TIMEOUT' || error.code === 'COMMAND_FAILED'))
          this.#isFiveX = false;
        throw error;
      }
    }
    const { body, command } = await this.#client.remotingClient.call(this.#address, GetBrokerClusterInfo, {}, options);
    this.#isFiveX = command.version >= MqVersion.V5_0_0;
    return body.brokerAddrTable.get(brokerName)?.brokerAddrs ?? new Map();
  }
}
