import type { ProfileName } from './profile.js';

/**
 * When a changed value shows: at once, at the next start, or never, because the thing it sets does not exist here or is not built yet.
 */
export type OptionEffect = 'live' | 'start' | 'none';

interface OptionRow {
  /** Upstream's classes that have the key; empty for a key of rmqns alone. */
  readonly upstream: readonly ('NamesrvConfig' | 'NettyServerConfig' | 'NettyClientConfig')[];
  /** The first release whose name server knows the key. */
  readonly since: ProfileName | 'rmqns';
  /** `none`: accepted, shown and otherwise ignored. */
  readonly effect: OptionEffect;
  readonly unit?: 'milliseconds' | 'seconds' | 'bytes';
  /** One sentence. */
  readonly meaning: string;
}

interface NumberRow extends OptionRow {
  /** `int` is Java's int; `long` reaches to the largest safe integer. */
  readonly type: 'int' | 'long';
  /** `undefined`: the server decides, as `meaning` says. */
  readonly default: number | undefined;
  /** Smallest and largest value taken; the type's own range when absent. */
  readonly min?: number;
  readonly max?: number;
}

interface BooleanRow extends OptionRow {
  readonly type: 'boolean';
  readonly default: boolean;
  /** The only value taken, and why. */
  readonly only?: { readonly value: boolean; readonly because: string };
}

interface StringRow extends OptionRow {
  readonly type: 'string';
  readonly default: string | undefined;
  /** The values taken; any text when absent. */
  readonly choices?: readonly string[];
}

export type NamesrvOption = NumberRow | BooleanRow | StringRow;

const namesrv = { upstream: ['NamesrvConfig'], since: '4.7.1' } as const;
const namesrv5 = { upstream: ['NamesrvConfig'], since: '5.3.3' } as const;
const server = { upstream: ['NettyServerConfig'], since: '4.7.1' } as const;
const server5 = { upstream: ['NettyServerConfig'], since: '5.3.3' } as const;
const client = { upstream: ['NettyClientConfig'], since: '5.3.3', effect: 'none' } as const;
const ours = { upstream: [], since: 'rmqns', effect: 'start' } as const;
const noPool = { type: 'int', effect: 'none' } as const;

/** setTimeout of Node takes no longer delay: past it, it fires at once. */
const MAX_DELAY_MILLIS = 2_147_483_647;

/**
 * All keys of namesrv.properties, in upstream's order of declaration and then ours. One row gives the type of the option, its
 * check, its default, and later its documentation (reference: nameserver 5.3, 5.4).
 */
export const namesrvOptionTable = {
  rocketmqHome: {
    ...namesrv,
    type: 'string',
    default: undefined,
    effect: 'none',
    meaning: 'Where RocketMQ is installed; shown to tools that ask, not needed.',
  },
  kvConfigPath: {
    ...namesrv,
    type: 'string',
    default: undefined,
    effect: 'start',
    meaning: 'The file that keeps the KV configuration; without one it is kept in memory only.',
  },
  configStorePath: {
    ...namesrv,
    type: 'string',
    default: undefined,
    effect: 'start',
    meaning: 'The file that updates of this configuration are written to (code 318); only the lines of changed keys.',
  },
  productEnvName: {
    ...namesrv,
    type: 'string',
    default: 'center',
    effect: 'none',
    meaning: 'The environment whose name server a cluster-test server falls back to.',
  },
  clusterTest: {
    ...namesrv,
    type: 'boolean',
    default: false,
    effect: 'none',
    meaning: 'Whether routes that are not known here are asked of the production environment.',
  },
  orderMessageEnable: {
    ...namesrv,
    type: 'boolean',
    default: false,
    effect: 'live',
    meaning: "Whether route answers carry the topic's ORDER_TOPIC_CONFIG.",
  },
  returnOrderTopicConfigToBroker: {
    ...namesrv5,
    type: 'boolean',
    default: true,
    effect: 'live',
    meaning: 'Whether the answer to a registration carries the ORDER_TOPIC_CONFIG table.',
  },
  clientRequestThreadPoolNums: {
    ...namesrv5,
    ...noPool,
    default: 8,
    meaning: 'Threads that answer route lookups in Java; here one thread answers all.',
  },
  defaultThreadPoolNums: {
    ...namesrv5,
    ...noPool,
    default: 16,
    meaning: 'Threads that answer all other requests in Java.',
  },
  clientRequestThreadPoolQueueCapacity: {
    ...namesrv5,
    ...noPool,
    default: 50_000,
    meaning: 'Route lookups that may wait for a thread in Java.',
  },
  defaultThreadPoolQueueCapacity: {
    ...namesrv5,
    ...noPool,
    default: 10_000,
    meaning: 'Other requests that may wait for a thread in Java.',
  },
  scanNotActiveBrokerInterval: {
    ...namesrv5,
    type: 'long',
    unit: 'milliseconds',
    default: undefined,
    min: 1,
    max: MAX_DELAY_MILLIS,
    effect: 'start',
    meaning: 'Time between two scans for silent brokers; by default 5000 in profile 5.3.3 and 10000 in 4.x.',
  },
  unRegisterBrokerQueueCapacity: {
    ...namesrv5,
    ...noPool,
    default: 3_000,
    meaning: 'Unregistrations that may wait for a batch in Java; here each is done at once.',
  },
  supportActingMaster: {
    ...namesrv5,
    type: 'boolean',
    default: false,
    effect: 'live',
    meaning: 'Whether a slave of a group without master is shown as its master.',
  },
  enableAllTopicList: {
    ...namesrv5,
    type: 'boolean',
    default: true,
    effect: 'live',
    meaning: 'Whether the list of all topics may be asked for (code 206).',
  },
  enableTopicList: {
    ...namesrv5,
    type: 'boolean',
    default: true,
    effect: 'live',
    meaning: 'Whether the other lists of topics may be asked for.',
  },
  notifyMinBrokerIdChanged: {
    ...namesrv5,
    type: 'boolean',
    default: false,
    effect: 'live',
    meaning: 'Whether the members of a group are told when its smallest broker id changes.',
  },
  enableControllerInNamesrv: {
    ...namesrv5,
    type: 'boolean',
    default: false,
    effect: 'none',
    only: {
      value: false,
      because:
        'rmqns has no embedded controller; run the Apache controller as its own process (mqcontroller) and remove this key',
    },
    meaning: 'Whether a controller runs in this process; rmqns has none.',
  },
  needWaitForService: {
    ...namesrv5,
    type: 'boolean',
    default: false,
    effect: 'live',
    meaning: 'Whether route lookups are refused in the first waitSecondsForService after the start.',
  },
  waitSecondsForService: {
    ...namesrv5,
    type: 'int',
    unit: 'seconds',
    default: 45,
    min: 0,
    effect: 'live',
    meaning: 'How long after the start lookups are refused when needWaitForService is true.',
  },
  deleteTopicWithBrokerRegistration: {
    ...namesrv5,
    type: 'boolean',
    default: false,
    effect: 'live',
    meaning:
      'Whether a topic that a broker no longer registers loses its queues there. Not for brokers that register in parts (enableSplitRegistration): each part takes the topics of the others.',
  },
  configBlackList: {
    ...namesrv5,
    type: 'string',
    default: 'configBlackList;configStorePath;kvConfigPath',
    effect: 'start',
    meaning: 'Keys, separated by ";", that no request may change, beside the paths, which none may.',
  },
  bindAddress: {
    ...server5,
    type: 'string',
    default: '0.0.0.0',
    effect: 'start',
    meaning: 'The local address to listen on.',
  },
  listenPort: {
    ...server,
    type: 'int',
    default: 9876,
    min: 0,
    max: 65_535,
    effect: 'start',
    meaning: 'The port to listen on; 0 takes a free one.',
  },
  serverWorkerThreads: { ...server, ...noPool, default: 8, meaning: 'Codec threads in Java.' },
  serverCallbackExecutorThreads: { ...server, ...noPool, default: 0, meaning: 'Callback threads in Java.' },
  serverSelectorThreads: { ...server, ...noPool, default: 3, meaning: 'Selector threads in Java.' },
  serverOnewaySemaphoreValue: {
    ...server,
    ...noPool,
    default: 256,
    meaning: 'One-way requests in flight from the server in Java.',
  },
  serverAsyncSemaphoreValue: {
    ...server,
    ...noPool,
    default: 64,
    meaning: 'Asynchronous requests in flight from the server in Java.',
  },
  serverChannelMaxIdleTimeSeconds: {
    ...server,
    type: 'int',
    unit: 'seconds',
    default: 120,
    min: 0,
    max: Math.floor(MAX_DELAY_MILLIS / 1_000),
    effect: 'start',
    meaning: 'A connection silent in both directions for this long is closed; 0 never closes one.',
  },
  serverSocketSndBufSize: {
    ...server,
    ...noPool,
    unit: 'bytes',
    default: 0,
    meaning: "A socket's send buffer; here always the operating system's choice.",
  },
  serverSocketRcvBufSize: {
    ...server,
    ...noPool,
    unit: 'bytes',
    default: 0,
    meaning: "A socket's receive buffer; here always the operating system's choice.",
  },
  writeBufferHighWaterMark: {
    upstream: ['NettyServerConfig', 'NettyClientConfig'],
    since: '4.9.7',
    ...noPool,
    unit: 'bytes',
    default: 0,
    meaning: "Bytes waiting on a channel above which Netty calls it unwritable; 0 is the framework's own mark.",
  },
  writeBufferLowWaterMark: {
    upstream: ['NettyServerConfig', 'NettyClientConfig'],
    since: '4.9.7',
    ...noPool,
    unit: 'bytes',
    default: 0,
    meaning: "Bytes waiting on a channel below which Netty calls it writable again; 0 is the framework's own mark.",
  },
  serverSocketBacklog: {
    upstream: ['NettyServerConfig'],
    since: '4.9.7',
    type: 'int',
    default: 1024,
    min: 1,
    max: 65_535,
    effect: 'start',
    meaning: 'Connections that the operating system holds until they are accepted; Java always takes 1024.',
  },
  serverNettyWorkerGroupEnable: {
    ...server5,
    type: 'boolean',
    default: true,
    effect: 'none',
    meaning: 'Whether codecs run on their own threads in Java.',
  },
  serverPooledByteBufAllocatorEnable: {
    ...server,
    type: 'boolean',
    default: true,
    effect: 'none',
    meaning: 'Whether Netty pools its buffers.',
  },
  enableShutdownGracefully: {
    ...server5,
    type: 'boolean',
    default: false,
    effect: 'none',
    meaning: 'Whether peers are told to go away (code 1500) before a stop.',
  },
  shutdownWaitTimeSeconds: {
    ...server5,
    type: 'int',
    unit: 'seconds',
    default: 30,
    min: 0,
    effect: 'none',
    meaning: 'How long a stop waits at most for what is in flight.',
  },
  useEpollNativeSelector: {
    ...server,
    type: 'boolean',
    default: false,
    effect: 'none',
    meaning: 'Whether Netty uses its native epoll transport.',
  },
  clientWorkerThreads: {
    ...client,
    type: 'int',
    default: 4,
    meaning: "Codec threads of the Java server's own client.",
  },
  clientCallbackExecutorThreads: {
    ...client,
    type: 'int',
    default: undefined,
    meaning: 'Callback threads of that client; in Java as many as processors.',
  },
  clientOnewaySemaphoreValue: {
    ...client,
    type: 'int',
    default: 65_535,
    meaning: 'One-way requests in flight from that client.',
  },
  clientAsyncSemaphoreValue: {
    ...client,
    type: 'int',
    default: 65_535,
    meaning: 'Asynchronous requests in flight from that client.',
  },
  connectTimeoutMillis: {
    ...client,
    type: 'int',
    unit: 'milliseconds',
    default: 3_000,
    meaning: 'How long that client waits for a connection.',
  },
  channelNotActiveInterval: {
    ...client,
    type: 'long',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'A setting of that client which Java itself does not read.',
  },
  scanAvailableNameSrv: {
    ...client,
    type: 'boolean',
    default: true,
    meaning: 'Whether that client tests its name servers.',
  },
  clientChannelMaxIdleTimeSeconds: {
    ...client,
    type: 'int',
    unit: 'seconds',
    default: 120,
    meaning: 'Silence after which that client closes a connection.',
  },
  clientSocketSndBufSize: {
    ...client,
    type: 'int',
    unit: 'bytes',
    default: 0,
    meaning: "Send buffer of that client's sockets.",
  },
  clientSocketRcvBufSize: {
    ...client,
    type: 'int',
    unit: 'bytes',
    default: 0,
    meaning: "Receive buffer of that client's sockets.",
  },
  clientPooledByteBufAllocatorEnable: {
    ...client,
    type: 'boolean',
    default: false,
    meaning: 'Whether Netty pools the buffers of that client.',
  },
  clientCloseSocketIfTimeout: {
    ...client,
    type: 'boolean',
    default: true,
    meaning: 'Whether that client closes a connection whose request timed out.',
  },
  useTLS: { ...client, type: 'boolean', default: false, meaning: 'Whether that client speaks TLS.' },
  socksProxyConfig: { ...client, type: 'string', default: '{}', meaning: 'SOCKS proxies of that client.' },
  disableCallbackExecutor: {
    ...client,
    type: 'boolean',
    default: false,
    meaning: 'Whether that client runs callbacks on its codec threads.',
  },
  disableNettyWorkerGroup: {
    ...client,
    type: 'boolean',
    default: false,
    meaning: 'Whether that client runs codecs on its selector threads.',
  },
  maxReconnectIntervalTimeSeconds: {
    ...client,
    type: 'long',
    unit: 'seconds',
    default: 60,
    meaning: 'Longest pause before that client connects again.',
  },
  enableReconnectForGoAway: {
    ...client,
    type: 'boolean',
    default: true,
    meaning: 'Whether that client connects again when told to go away.',
  },
  profile: {
    ...ours,
    type: 'string',
    default: '5.3.3',
    choices: ['4.7.1', '4.9.7', '5.3.3'],
    meaning: "The release whose answers are given where releases' answers differ.",
  },
  serializeType: {
    ...ours,
    type: 'string',
    default: undefined,
    choices: ['JSON', 'ROCKETMQ'],
    meaning:
      "The format of headers in answers, in Java the system property rocketmq.serialize.type; by default JSON. Profile 4.9.7 answers in the request's.",
  },
  defaultHeartbeatTimeoutMillis: {
    ...ours,
    type: 'long',
    unit: 'milliseconds',
    default: 120_000,
    min: 1,
    meaning: 'Silence after which a broker expires that did not say its own timeout.',
  },
  configUpdatePolicy: {
    ...ours,
    type: 'string',
    default: 'safe',
    choices: ['safe', 'apache', 'deny'],
    meaning:
      'Which keys code 318 may change: those that are harmless and take effect at once, those that Apache lets it change (never a path), or none.',
  },
  maxFrameBytes: {
    ...ours,
    type: 'int',
    unit: 'bytes',
    default: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
    meaning: 'The longest frame taken; a longer one closes its connection.',
  },
  logLevel: {
    ...ours,
    type: 'string',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    meaning: 'The least important lines that mqnamesrv logs.',
  },
  logFormat: {
    ...ours,
    type: 'string',
    default: undefined,
    choices: ['json', 'pretty'],
    meaning: 'How mqnamesrv writes its log; by default pretty on a terminal and json elsewhere.',
  },
} as const satisfies Readonly<Record<string, NamesrvOption>>;

/** The name of an option, as in namesrv.properties. */
export type NamesrvOptionName = keyof typeof namesrvOptionTable;

/** The names in the table's order. */
export const namesrvOptionNames = Object.keys(namesrvOptionTable) as readonly NamesrvOptionName[];

/** The row of a name; `undefined` for a name that is no option. */
export function namesrvOption(name: string): NamesrvOption | undefined {
  return Object.hasOwn(namesrvOptionTable, name) ? namesrvOptionTable[name as NamesrvOptionName] : undefined;
}
