import { eventually, parseLenientJson, WireClient, type WireFrame } from '@rmqns/test-kit';

const GET_ROUTEINFO_BY_TOPIC = 105;
const GET_BROKER_CLUSTER_INFO = 106;
const NOT_FOUND = 17;

interface BrokerGroup {
  readonly brokerName: string;
  readonly brokerAddrs: Readonly<Record<string, string>>;
}

/** Sees what a name server tells about brokers, over a connection of its own. */
export class NameServerProbe implements AsyncDisposable {
  readonly #client: WireClient;

  private constructor(client: WireClient) {
    this.#client = client;
  }

  static async connect(port: number): Promise<NameServerProbe> {
    return new NameServerProbe(await WireClient.connect(port));
  }

  /** Addresses of all brokers in the cluster info, sorted. */
  async brokerAddrs(): Promise<string[]> {
    const answer = await this.#client.call({ code: GET_BROKER_CLUSTER_INFO });
    const { brokerAddrTable } = json(answer) as { brokerAddrTable: Record<string, BrokerGroup> };
    return addresses(Object.values(brokerAddrTable));
  }

  /** Addresses by id of the brokers with that name, as the cluster info has them; `undefined` when there is none. */
  async members(brokerName: string): Promise<Readonly<Record<string, string>> | undefined> {
    const answer = await this.#client.call({ code: GET_BROKER_CLUSTER_INFO });
    const { brokerAddrTable } = json(answer) as { brokerAddrTable: Record<string, BrokerGroup> };
    return brokerAddrTable[brokerName]?.brokerAddrs;
  }

  /** Addresses of all brokers in a topic's route, sorted; empty when there is none. */
  async routeAddrs(topic: string): Promise<string[]> {
    const answer = await this.#client.call({ code: GET_ROUTEINFO_BY_TOPIC, extFields: { topic } });
    if (answer.header.code === NOT_FOUND) return [];
    const { brokerDatas } = json(answer) as { brokerDatas: BrokerGroup[] };
    return addresses(brokerDatas);
  }

  /** Waits until the cluster info holds exactly these brokers. */
  async waitForBrokers(expected: readonly string[], timeoutMillis: number): Promise<void> {
    const wanted = [...expected].sort().join(' ');
    let seen = '';
    try {
      await eventually(
        async () => {
          seen = (await this.brokerAddrs()).join(' ');
          return seen === wanted ? true : undefined;
        },
        { what: 'the brokers in the cluster info', timeoutMillis },
      );
    } catch (error) {
      throw new Error(`the cluster info should hold [${wanted}] and holds [${seen}]`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

function json(answer: WireFrame): unknown {
  return parseLenientJson(answer.body.toString('utf8'));
}

function addresses(groups: readonly BrokerGroup[]): string[] {
  return groups.flatMap(({ brokerAddrs }) => Object.values(brokerAddrs)).sort();
}
