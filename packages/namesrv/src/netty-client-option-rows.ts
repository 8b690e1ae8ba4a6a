import type { NamesrvOption } from './option-row.js';

const client = { upstream: ['NettyClientConfig'], since: '5.3.3', effect: 'none' } as const;

/** The keys of Apache's own client within the name server. */
export const nettyClientOptionRows = {
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
  useTLS: {
    ...client,
    type: 'boolean',
    default: false,
    effect: 'start',
    meaning: 'Whether that client speaks TLS; tls.enable goes before it.',
  },
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
} as const satisfies Readonly<Record<string, NamesrvOption>>;
