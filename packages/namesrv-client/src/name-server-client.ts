import {
  AddWritePermOfBroker,
  BrokerHeartbeat,
  type BrokerMemberGroup,
  type ClusterInfo,
  type DataVersion,
  DeleteKvConfig,
  DeleteTopicInNamesrv,
  decodeDataVersion,
  decodeTopicRouteData,
  encodeDataVersion,
  encodeTopicRouteData,
  GetAllTopicListFromNameserver,
  GetBrokerClusterInfo,
  GetBrokerMemberGroup,
  GetHasUnitSubTopicList,
  GetHasUnitSubUnunitTopicList,
  GetKvConfig,
  GetKvListByNamespace,
  GetNamesrvConfig,
  GetRouteInfoByTopic,
  GetSystemTopicListFromNs,
  GetTopicsByCluster,
  GetUnitTopicList,
  MqVersion,
  PutKvConfig,
  QueryDataVersion,
  type QueueData,
  RegisterBroker,
  RegisterTopicInNamesrv,
  ResponseCode,
  type TopicList,
  type TopicRouteData,
  UnregisterBroker,
  UpdateNamesrvConfig,
  WipeWritePermOfBroker,
} from '@rmqns/protocol';
import {
  type CallOptions,
  type Clock,
  type CommandDefinition,
  CommandError,
  DecodeError,
  decodeHeader,
  type HeaderInput,
  type HeaderSchema,
  type InvokeOptions,
  RemotingClient,
  type RemotingClientOptions,
  systemClock,
} from '@rmqns/remoting';
import { encodeUtf8 } from '@rmqns/remoting/json';
import type { BrokerIdentity } from './broker-identity.js';
import type { RegisterBrokerRequest } from './register-broker-request.js';

export interface NameServerClientOptions {
  /** Used, and left open by {@link NameServerClient.close}. Default: an own one. */
  readonly remotingClient?: RemotingClient | undefined;
  /** For the own one. Its `version` is by default that of 4.9.7, which every name server knows and answers in standard JSON. */
  readonly remotingClientOptions?: RemotingClientOptions | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** How one request is to be sent. */
export interface RequestOptions extends InvokeOptions {
  /** For dial, sending and answer together; default the remoting client's, 3,000. */
  readonly timeoutMillis?: number | undefined;
}

/** What a name server answers to a registration (upstream: `RegisterBrokerResult`). */
export interface RegisterBrokerResult {
  /** Only to a slave whose master is known and alive, like `haServerAddr`. */
  readonly masterAddr?: string | undefined;
  readonly haServerAddr?: string | undefined;
  /** The KV namespace `ORDER_TOPIC_CONFIG`: topic to `brokerA:4;brokerB:4`. `undefined` where it does not exist. */
  readonly kvTable?: ReadonlyMap<string, string> | undefined;
}

/** What a name server knows of a broker's topic table. */
export interface DataVersionAnswer {
  /** Whether the name server has another version or does not know the broker. */
  readonly changed: boolean;
  /** The version that it has, if it knows the broker. */
  readonly dataVersion: DataVersion | undefined;
}

/**
 * Asks name servers: one method for each request that a client, a broker or a tool sends. The first argument is the address,
 * `host:port`. An answer that says no is thrown as `CommandError`; no answer as `RemotingError` (see `RemotingClient.invokeSync`); an
 * answer that cannot be read as `DecodeError`.
 */
export class NameServerClient implements AsyncDisposable {
  readonly remotingClient: RemotingClient;
  readonly clock: Clock;
  readonly #owned: boolean;

  constructor(options: NameServerClientOptions = {}) {
    this.clock = options.clock ?? options.remotingClientOptions?.clock ?? systemClock;
    this.#owned = options.remotingClient === undefined;
    this.remotingClient =
      options.remotingClient ??
      new RemotingClient({ version: MqVersion.V4_9_7, clock: this.clock, ...options.remotingClientOptions });
  }

  /** Where a topic's queues are (105); `undefined` when the name server knows no route (code 17). */
  async getRouteInfoByTopic(
    address: string,
    topic: string,
    options?: RequestOptions,
  ): Promise<TopicRouteData | undefined> {
    return unless(ResponseCode.TOPIC_NOT_EXIST, async () => {
      const header = { topic, acceptStandardJsonOnly: true };
      const { body } = await this.#call(address, GetRouteInfoByTopic, header, options);
      const route = decodeTopicRouteData(body);
      if (route === undefined) throw new DecodeError(`${address} answered without route data`, { address });
      return route;
    });
  }

  /** All clusters, broker groups and addresses (106). */
  async getBrokerClusterInfo(address: string, options?: RequestOptions): Promise<ClusterInfo> {
    return (await this.#call(address, GetBrokerClusterInfo, {}, options)).body;
  }

  /** The members of a broker group (901, 5.x). */
  async getBrokerMemberGroup(
    address: string,
    clusterName: string,
    brokerName: string,
    options?: RequestOptions,
  ): Promise<BrokerMemberGroup> {
    return (await this.#call(address, GetBrokerMemberGroup, { clusterName, brokerName }, options)).body;
  }

  /** Registers a broker (103). */
  async registerBroker(
    address: string,
    request: RegisterBrokerRequest,
    { timeoutMillis, signal }: RequestOptions = {},
  ): Promise<RegisterBrokerResult> {
    const response = await this.remotingClient.invokeSync(address, request.toCommand(), timeoutMillis, { signal });
    if (response.code !== ResponseCode.SUCCESS) {
      throw new CommandError(response.code, response.remark, { address, opaque: response.opaque, response });
    }
    const { masterAddr, haServerAddr } = decodeHeader(RegisterBroker.response, response.extFields);
    return { masterAddr, haServerAddr, kvTable: RegisterBroker.responseBody.decode(response.body) };
  }

  /** Registers a broker without waiting for an answer (103, oneway). Resolves when the request has left. */
  async registerBrokerOneway(
    address: string,
    request: RegisterBrokerRequest,
    { timeoutMillis, signal }: RequestOptions = {},
  ): Promise<void> {
    await this.remotingClient.invokeOneway(address, request.toCommand(), timeoutMillis, { signal });
  }

  /** A broker leaves (104). Succeeds also for a broker that is not known. */
  async unregisterBroker(address: string, identity: BrokerIdentity, options?: RequestOptions): Promise<void> {
    const { brokerName, brokerAddr, clusterName, brokerId } = identity;
    await this.#call(address, UnregisterBroker, { brokerName, brokerAddr, clusterName, brokerId }, options);
  }

  /** Whether a name server has another version of a broker's topic table (322); keeps the broker alive, too. */
  async queryDataVersion(
    address: string,
    identity: BrokerIdentity,
    dataVersion: DataVersion,
    options: RequestOptions & { readonly fiveX?: boolean | undefined } = {},
  ): Promise<DataVersionAnswer> {
    const { brokerName, brokerAddr, clusterName, brokerId } = identity;
    const { header, body } = await this.#call(
      address,
      QueryDataVersion,
      { brokerName, brokerAddr, clusterName, brokerId },
      options,
      encodeDataVersion(dataVersion, { fiveX: options.fiveX ?? false }),
    );
    return { changed: header.changed, dataVersion: decodeDataVersion(body, this.clock.now()) };
  }

  /** The same as a sign of life (322, oneway): 4.x name servers take it for one as long as they have this version, 5.x ones always. */
  async queryDataVersionOneway(
    address: string,
    identity: BrokerIdentity,
    dataVersion: DataVersion,
    options: RequestOptions & { readonly fiveX?: boolean | undefined } = {},
  ): Promise<void> {
    const { brokerName, brokerAddr, clusterName, brokerId } = identity;
    await this.remotingClient.oneway(
      address,
      QueryDataVersion,
      { brokerName, brokerAddr, clusterName, brokerId },
      { ...callOptions(options), body: encodeDataVersion(dataVersion, { fiveX: options.fiveX ?? false }) },
    );
  }

  /** A sign of life (904, 5.x, oneway). Resolves when it has left; older name servers ignore it. */
  async brokerHeartbeat(address: string, identity: BrokerIdentity, options: RequestOptions = {}): Promise<void> {
    const { brokerName, brokerAddr, clusterName } = identity;
    await this.remotingClient.oneway(
      address,
      BrokerHeartbeat,
      { brokerName, brokerAddr, clusterName },
      callOptions(options),
    );
  }

  /** Makes one topic known (217, 5.x); older name servers do not answer. */
  async registerTopicInNamesrv(
    address: string,
    topic: string,
    queueDatas: readonly QueueData[],
    options?: RequestOptions,
  ): Promise<void> {
    const route = { queueDatas, brokerDatas: [], filterServerTable: new Map<string, readonly string[]>() };
    const dialect = { standardJson: false, queueFlagName: 'topicSysFlag', fiveX: true } as const;
    await this.#call(address, RegisterTopicInNamesrv, { topic }, options, encodeTopicRouteData(route, dialect));
  }

  /** Removes a topic's routes (216), from 4.9.3 on only those to one cluster when that is named. */
  async deleteTopicInNamesrv(
    address: string,
    topic: string,
    clusterName?: string,
    options?: RequestOptions,
  ): Promise<void> {
    await this.#call(address, DeleteTopicInNamesrv, { topic, clusterName }, options);
  }

  /** Takes the write permission from all topics of a broker (205). Resolves to how many topics the broker has. */
  async wipeWritePermOfBroker(address: string, brokerName: string, options?: RequestOptions): Promise<number> {
    return (await this.#call(address, WipeWritePermOfBroker, { brokerName }, options)).header.wipeTopicCount;
  }

  /** Gives all topics of a broker the permission 6 (327, from 4.9.2). Resolves to how many topics the broker has. */
  async addWritePermOfBroker(address: string, brokerName: string, options?: RequestOptions): Promise<number> {
    return (await this.#call(address, AddWritePermOfBroker, { brokerName }, options)).header.addTopicCount;
  }

  /** Stores one KV entry (100). */
  async putKvConfig(
    address: string,
    namespace: string,
    key: string,
    value: string,
    options?: RequestOptions,
  ): Promise<void> {
    await this.#call(address, PutKvConfig, { namespace, key, value }, options);
  }

  /** Reads one KV entry (101); `undefined` when there is none (code 22). */
  async getKvConfig(
    address: string,
    namespace: string,
    key: string,
    options?: RequestOptions,
  ): Promise<string | undefined> {
    return unless(ResponseCode.QUERY_NOT_FOUND, async () => {
      return (await this.#call(address, GetKvConfig, { namespace, key }, options)).header.value;
    });
  }

  /** Removes one KV entry (102). Succeeds also when there is none. */
  async deleteKvConfig(address: string, namespace: string, key: string, options?: RequestOptions): Promise<void> {
    await this.#call(address, DeleteKvConfig, { namespace, key }, options);
  }

  /** All entries of a KV namespace (219); `undefined` when it does not exist (code 22). */
  async getKvListByNamespace(
    address: string,
    namespace: string,
    options?: RequestOptions,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    return unless(ResponseCode.QUERY_NOT_FOUND, async () => {
      return (await this.#call(address, GetKvListByNamespace, { namespace }, options)).body;
    });
  }

  /** The names of all topics (206). */
  async getAllTopicListFromNameserver(address: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetAllTopicListFromNameserver, {}, options)).body;
  }

  /** The topics of a cluster (224). */
  async getTopicsByCluster(address: string, cluster: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetTopicsByCluster, { cluster }, options)).body;
  }

  /** The names of all clusters and brokers, and one broker's address (304). */
  async getSystemTopicListFromNs(address: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetSystemTopicListFromNs, {}, options)).body;
  }

  /** Topics with the flag UNIT (311). */
  async getUnitTopicList(address: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetUnitTopicList, {}, options)).body;
  }

  /** Topics with the flag UNIT_SUB (312). */
  async getHasUnitSubTopicList(address: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetHasUnitSubTopicList, {}, options)).body;
  }

  /** Topics with the flag UNIT_SUB but not UNIT (313). */
  async getHasUnitSubUnunitTopicList(address: string, options?: RequestOptions): Promise<TopicList> {
    return (await this.#call(address, GetHasUnitSubUnunitTopicList, {}, options)).body;
  }

  /** Changes settings of the name server (318), given as `.properties` text. */
  async updateNamesrvConfig(address: string, propertiesText: string, options?: RequestOptions): Promise<void> {
    await this.#call(address, UpdateNamesrvConfig, {}, options, encodeUtf8(propertiesText));
  }

  /** The settings of the name server (319): text, one `key=value` a line. */
  async getNamesrvConfig(address: string, options?: RequestOptions): Promise<string> {
    const { body } = await this.#call(address, GetNamesrvConfig, {}, options);
    if (body === undefined) throw new DecodeError(`${address} answered without its settings`, { address });
    return Buffer.from(body).toString('utf8');
  }

  /** Lets calls under way end, then closes the connections; a remoting client that was given stays open. */
  async close(): Promise<void> {
    if (this.#owned) await this.remotingClient.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #call<Request extends HeaderSchema, Response extends HeaderSchema, Body>(
    address: string,
    definition: CommandDefinition<Request, Response, Uint8Array | undefined, Body>,
    header: HeaderInput<Request>,
    options: RequestOptions = {},
    body?: Uint8Array,
  ) {
    return this.remotingClient.call(address, definition, header, { ...callOptions(options), body });
  }
}

function callOptions({ timeoutMillis, signal }: RequestOptions): CallOptions<undefined> {
  return timeoutMillis === undefined ? { signal } : { signal, timeoutMillis };
}

/** What the call gives, or `undefined` when the answer has this code. */
async function unless<T>(responseCode: number, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CommandError && error.responseCode === responseCode) return undefined;
    throw error;
  }
}
