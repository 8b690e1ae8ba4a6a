import { type ApacheProcesses, type ApacheVersion, eventually, NameServerProcess, WireClient } from '@rmqns/test-kit';
import { type AnswerView, answerView } from '../conformance/answer-view.js';
import { differenceOf } from '../conformance/differences.js';

type Settings = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, string>>;

/** How long brokers may take until both name servers know the same: they register with both at once, and again after ten seconds. */
const ALIKE_TIMEOUT_MILLIS = 45_000;
/** Clients that get the two flavours of a route: before 4.9.4, and the newest. */
const CLIENT_VERSIONS = [355, 479] as const;
/** Topics whose route is asked for though no list has them. */
const NO_SUCH_TOPIC = 'no-such-topic';

/** Apache's name server and ours, of one release, which brokers register with at once. */
export class BothNameServers implements AsyncDisposable {
  /** What brokers are told: `theirs;ours`. */
  readonly addresses: string;
  readonly ours: NameServerProcess;
  readonly #version: ApacheVersion;
  readonly #theirs: WireClient;
  readonly #own: WireClient;

  private constructor(
    version: ApacheVersion,
    addresses: string,
    ours: NameServerProcess,
    theirs: WireClient,
    own: WireClient,
  ) {
    this.#version = version;
    this.addresses = addresses;
    this.ours = ours;
    this.#theirs = theirs;
    this.#own = own;
  }

  static async start(
    apache: ApacheProcesses,
    version: ApacheVersion,
    settings: Settings = {},
  ): Promise<BothNameServers> {
    const { port } = await apache.startNameServer(version, settings);
    const ours = await NameServerProcess.start({ settings: { profile: version, ...settings } });
    const clients = [await WireClient.connect(port), await WireClient.connect(ours.port)] as const;
    return new BothNameServers(version, `127.0.0.1:${port};${ours.address}`, ours, ...clients);
  }

  /** Waits until both hold exactly these brokers and answer everything alike; fails with what still differs. */
  async expectAlike(brokerAddrs: readonly string[]): Promise<void> {
    let differences: readonly string[] = [];
    try {
      await eventually(
        async () => {
          differences = await this.#differences(brokerAddrs);
          return differences.length === 0 ? true : undefined;
        },
        { what: 'the same answers', timeoutMillis: ALIKE_TIMEOUT_MILLIS, intervalMillis: 500 },
      );
    } catch (error) {
      throw new Error(`theirs and ours of ${this.#version} differ:\n${differences.slice(0, 10).join('\n')}`, {
        cause: error,
      });
    }
  }

  /** What ours answers to 105 for a topic. */
  async route(topic: string): Promise<AnswerView> {
    return await viewOf(this.#own, 105, { topic }, 479);
  }

  /** The broker addresses that ours shows, sorted. */
  async brokerAddrs(): Promise<string[]> {
    return addrsOf(await viewOf(this.#own, 106, {}, 479));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resource of [this.#theirs, this.#own, this.ours]) await resource[Symbol.asyncDispose]();
  }

  async #differences(brokerAddrs: readonly string[]): Promise<string[]> {
    const shown = addrsOf(await viewOf(this.#theirs, 106, {}, 479));
    if (shown.join() !== [...brokerAddrs].sort().join()) return [`theirs shows the brokers ${shown.join()}`];
    const found: string[] = [];
    const compare = async (code: number, extFields: Fields, version: number): Promise<AnswerView> => {
      const [theirs, ours] = await Promise.all(
        [this.#theirs, this.#own].map((client) => viewOf(client, code, extFields, version)),
      );
      if (theirs === undefined || ours === undefined) throw new Error('two answers were asked for');
      const difference = differenceOf(theirs, ours);
      if (Object.keys({ ...difference.theirs, ...difference.ours }).length > 0) {
        found.push(JSON.stringify({ code, extFields, version, ...difference }));
      }
      return theirs;
    };
    const clusterInfo = await compare(106, {}, 479);
    const { topicList } = (await compare(206, {}, 479)).body as { topicList: readonly string[] };
    for (const topic of [...topicList, NO_SUCH_TOPIC]) {
      for (const version of CLIENT_VERSIONS) await compare(105, { topic }, version);
    }
    for (const code of [304, 311, 312, 313]) await compare(code, {}, 479);
    await compare(219, { namespace: 'ORDER_TOPIC_CONFIG' }, 479);
    const { clusterAddrTable } = clusterInfo.body as {
      clusterAddrTable: Readonly<Record<string, readonly string[]>>;
    };
    for (const [cluster, brokerNames] of Object.entries(clusterAddrTable)) {
      await compare(224, { cluster }, 479);
      if (this.#version !== '5.3.3') continue;
      for (const brokerName of brokerNames) await compare(901, { clusterName: cluster, brokerName }, 479);
    }
    return found;
  }
}

async function viewOf(client: WireClient, code: number, extFields: Fields, version: number): Promise<AnswerView> {
  const frame = await client.call({ code, extFields, version }, 20_000);
  return answerView(frame.bytes, code);
}

function addrsOf({ body }: AnswerView): string[] {
  const { brokerAddrTable } = body as {
    brokerAddrTable: Readonly<Record<string, { brokerAddrs: Readonly<Record<string, string>> }>>;
  };
  return Object.values(brokerAddrTable)
    .flatMap(({ brokerAddrs }) => Object.values(brokerAddrs))
    .sort();
}
