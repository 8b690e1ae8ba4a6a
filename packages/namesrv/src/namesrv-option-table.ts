import { nettyClientOptionRows } from './netty-client-option-rows.js';
import { MAX_DELAY_MILLIS, MAX_DELAY_SECONDS, type NamesrvOption } from './option-row.js';
import { peerOptionRows } from './peer-option-rows.js';
import { tlsOptionRows } from './tls-option-rows.js';

const namesrv = { upstream: ['NamesrvConfig'], since: '4.7.1' } as const;
const namesrv5 = { upstream: ['NamesrvConfig'], since: '5.3.3' } as const;
const server = { upstream: ['NettyServerConfig'], since: '4.7.1' } as const;
const server5 = { upstream: ['NettyServerConfig'], since: '5.3.3' } as const;
const ours = { upstream: [], since: 'rmqns', effect: 'start' } as const;
const noPool = { type: 'int', effect: 'none' } as const;

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
    meaning:
      'The file that keeps the KV configuration; by default namesrv/kvConfig.json in the home directory. An empty text, or in the library none, keeps it in memory only.',
  },
  configStorePath: {
    ...namesrv,
    type: 'string',
    default: undefined,
    effect: 'start',
    meaning:
      'The file that updates of this configuration are written to (code 318), only the lines of changed keys; the one of -c, or namesrv/namesrv.properties in the home directory. With an empty text they hold until the next start.',
  },
  productEnvName: {
    ...namesrv,
    type: 'string',
    default: 'center',
    effect: 'start',
    meaning:
      'The environment whose name servers a cluster-test server falls back to: those of NAMESRV_ADDR, or without it those that the address server names for this environment.',
  },
  clusterTest: {
    ...namesrv,
    type: 'boolean',
    default: false,
    effect: 'start',
    meaning: 'Whether routes that are not known here (105) are asked of the product environment.',
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
    type: 'int',
    default: 50_000,
    min: 1,
    effect: 'start',
    meaning: 'Route lookups that may wait for their turn; those above are answered SYSTEM_BUSY (code 2).',
  },
  defaultThreadPoolQueueCapacity: {
    ...namesrv5,
    type: 'int',
    default: 10_000,
    min: 1,
    effect: 'start',
    meaning: 'Other requests that may wait for their turn; those above are answered SYSTEM_BUSY (code 2).',
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
    type: 'int',
    default: 3_000,
    min: 1,
    effect: 'start',
    meaning:
      'Unregistrations (104) that may have been answered and not yet be carried out, in profile 5.3.3; those above are answered code 1. In 4.x they are carried out first.',
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
    max: MAX_DELAY_SECONDS,
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
    effect: 'live',
    meaning:
      'Whether a stop keeps connections, for at most shutdownWaitTimeSeconds, until their peers have gone, which hear by their next request that they are to (code 1500).',
  },
  shutdownWaitTimeSeconds: {
    ...server5,
    type: 'int',
    unit: 'seconds',
    default: 30,
    min: 0,
    max: MAX_DELAY_SECONDS,
    effect: 'live',
    meaning: 'How long a stop waits at most for what is in flight; it waits for nothing else.',
  },
  useEpollNativeSelector: {
    ...server,
    type: 'boolean',
    default: false,
    effect: 'none',
    meaning: 'Whether Netty uses its native epoll transport.',
  },
  ...nettyClientOptionRows,
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
  kvFromBackup: {
    ...ours,
    type: 'boolean',
    default: false,
    meaning:
      'Whether at the start the former KV configuration (`kvConfigPath` with `.bak`) takes the place of one that is missing, torn or of another kind, which is kept as `.broken`.',
  },
  configUpdatePolicy: {
    ...ours,
    type: 'string',
    default: 'safe',
    choices: ['safe', 'apache', 'deny'],
    meaning:
      'Which keys code 318 may change: those that are harmless and take effect at once, those that Apache lets it change (never a path), or none.',
  },
  workers: {
    ...ours,
    type: 'int',
    default: 1,
    min: 0,
    max: 64,
    meaning:
      'Processes that serve route lookups. With 1 or 0 it is the server itself; with more they are further ones, beside the one that has the tables and serves all else: for machines with that many cores to spare.',
  },
  ...peerOptionRows,
  maxFrameBytes: {
    ...ours,
    type: 'int',
    unit: 'bytes',
    default: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
    meaning: 'The longest frame taken; a longer one closes its connection.',
  },
  ...tlsOptionRows,
  logLevel: {
    ...ours,
    effect: 'reload',
    type: 'string',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    meaning: 'The least important lines that mqnamesrv logs; takes effect at SIGHUP.',
  },
  logPath: {
    ...ours,
    type: 'string',
    default: undefined,
    meaning:
      'The file that mqnamesrv appends its log to instead of stdout; SIGUSR1 opens it again by its name, for logrotate.',
  },
  auditLogPath: {
    ...ours,
    type: 'string',
    default: undefined,
    meaning:
      'The file that the record of changes asked for by people and tools is appended to (`"type":"audit"`: who, what, and what became of it), as with logPath; by default it goes to the log.',
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

/** Whether the value of an option is to be shown to nobody. */
export function isSecretOption(name: string): boolean {
  const row = namesrvOption(name);
  return row?.type === 'string' && row.secret === true;
}
