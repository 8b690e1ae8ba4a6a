import { type OptionTable, resolveOptions, timerMillis } from '../rpc/option-table.js';

/** What a server does with a connection by its first byte (upstream: `TlsMode`; reference: remoting 5.2). */
export const TlsMode = {
  /** TLS is refused. */
  DISABLED: 'disabled',
  /** TLS and plain bytes are both taken. */
  PERMISSIVE: 'permissive',
  /** Plain bytes are refused, before anything looks at them. */
  ENFORCING: 'enforcing',
} as const;

export type TlsMode = (typeof TlsMode)[keyof typeof TlsMode];

/** Whether a server asks clients for a certificate. */
export const NeedClientAuth = {
  NONE: 'none',
  /** One that is presented is looked at; none is well too. */
  OPTIONAL: 'optional',
  REQUIRE: 'require',
} as const;

export type NeedClientAuth = (typeof NeedClientAuth)[keyof typeof NeedClientAuth];

/** What both sides of TLS can be given. Files are PEM, of at most 1 MiB; upstream's keys in brackets, with `server` or `client` in the middle. */
export interface TlsFileOptions {
  /** The private key, PKCS#8 or PKCS#1 or SEC 1, also encrypted [tls.server.keyPath, tls.client.keyPath]. */
  readonly keyPath?: string | undefined;
  /** Of an encrypted key; empty is none. Never logged [tls.server.keyPassword, tls.client.keyPassword]. */
  readonly keyPassword?: string | undefined;
  /** The certificate, then those between it and its CA [tls.server.certPath, tls.client.certPath]. */
  readonly certPath?: string | undefined;
  /** CAs that the other side's certificate may be of; default Node's own list [tls.server.trustCertPath, tls.client.trustCertPath]. */
  readonly trustCertPath?: string | undefined;
  /**
   * For tries only; default false. A server makes itself a certificate at the first handshake that lasts as long as it does, with the package
   * `selfsigned` 5, which must be installed; it asks for a client's and trusts any. A client trusts any server. The files are not read
   * [tls.test.mode.enable, there true].
   */
  readonly testMode?: boolean | undefined;
  /** How long a handshake may take, from its first byte, before the connection is closed; default 10,000, as Netty's. */
  readonly handshakeTimeoutMillis?: number | undefined;
  /** How often the files are looked at for a change; default 500, as upstream; 0 never. */
  readonly reloadIntervalMillis?: number | undefined;
}

/** TLS of a server. */
export interface TlsServerOptions extends TlsFileOptions {
  /** Default `permissive` [tls.server.mode]. */
  readonly mode?: TlsMode | undefined;
  /** Default `none` [tls.server.need.client.auth]. */
  readonly needClientAuth?: NeedClientAuth | undefined;
  /** Whether a client's certificate must be of a trusted CA; default true, which counts where one is asked for [tls.server.authClient, there false]. */
  readonly authClient?: boolean | undefined;
}

/** TLS of a client. */
export interface TlsClientOptions extends TlsFileOptions {
  /** Whether the server's certificate must be of a trusted CA; default true [tls.client.authServer, there false]. */
  readonly authServer?: boolean | undefined;
  /** Whether it must be for the host in the address; default false, as upstream, since clusters often share one certificate. Needs `authServer`. */
  readonly verifyHostname?: boolean | undefined;
  /** The name that the server is asked for (SNI), and that `verifyHostname` looks for; default the host in the address. */
  readonly servername?: string | undefined;
}

type Defaulted<Options, Names extends keyof Options> = Omit<Options, Names> & {
  readonly [Name in Names]-?: NonNullable<Options[Name]>;
};

type DefaultedFiles = 'testMode' | 'handshakeTimeoutMillis' | 'reloadIntervalMillis';

export type ResolvedTlsServerOptions = Defaulted<
  TlsServerOptions,
  DefaultedFiles | 'mode' | 'needClientAuth' | 'authClient'
>;
export type ResolvedTlsClientOptions = Defaulted<TlsClientOptions, DefaultedFiles | 'authServer' | 'verifyHostname'>;

const fileTable: OptionTable<TlsFileOptions> = {
  keyPath: { kind: 'text' },
  keyPassword: { kind: 'text' },
  certPath: { kind: 'text' },
  trustCertPath: { kind: 'text' },
  testMode: { kind: 'boolean' },
  handshakeTimeoutMillis: timerMillis(1),
  reloadIntervalMillis: timerMillis(0),
};

const serverTable: OptionTable<TlsServerOptions> = {
  ...fileTable,
  mode: { kind: 'choice', choices: Object.values(TlsMode) },
  needClientAuth: { kind: 'choice', choices: Object.values(NeedClientAuth) },
  authClient: { kind: 'boolean' },
};

const clientTable: OptionTable<TlsClientOptions> = {
  ...fileTable,
  authServer: { kind: 'boolean' },
  verifyHostname: { kind: 'boolean' },
  servername: { kind: 'text' },
};

const fileDefaults = { testMode: false, handshakeTimeoutMillis: 10_000, reloadIntervalMillis: 500 } as const;

/** @throws RemotingError `INVALID_ARGUMENT` naming everything that is wrong */
export function resolveTlsServerOptions(options: TlsServerOptions): ResolvedTlsServerOptions {
  const defaults = { ...fileDefaults, mode: TlsMode.PERMISSIVE, needClientAuth: NeedClientAuth.NONE, authClient: true };
  return resolveOptions<TlsServerOptions, ResolvedTlsServerOptions>('tls', serverTable, defaults, options);
}

/** @throws RemotingError `INVALID_ARGUMENT` naming everything that is wrong */
export function resolveTlsClientOptions(options: TlsClientOptions): ResolvedTlsClientOptions {
  const defaults = { ...fileDefaults, authServer: true, verifyHostname: false };
  return resolveOptions<TlsClientOptions, ResolvedTlsClientOptions>('tls', clientTable, defaults, options);
}

/** What is wrong with TLS options, for the table of the options that hold them. */
export function tlsProblem<Options>(resolve: (options: Options) => unknown): (value: unknown) => string | undefined {
  return (value) => {
    if (typeof value !== 'object' || value === null) return 'must be an object';
    try {
      resolve(value as Options);
      return undefined;
    } catch (error) {
      return `cannot be: ${(error as Error).message}`;
    }
  };
}
