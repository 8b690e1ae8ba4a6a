import { NeedClientAuth, type TlsClientOptions, TlsMode, type TlsServerOptions } from './tls-options.js';

/** Keys and values as in a `.properties` file or of system properties. */
export type TlsProperties = Readonly<Record<string, string | undefined>>;

export interface TlsPropertyOptions {
  readonly server: TlsServerOptions;
  readonly client: TlsClientOptions;
  /** Whether clients use TLS at all [tls.enable]. */
  readonly isClientEnabled: boolean;
}

/** Where the override file is when `tls.config.file` does not say. */
export const DEFAULT_TLS_CONFIG_FILE = '/etc/rocketmq/tls.properties';

/** The path of the override file; it need not be there. Only system properties name it. */
export function tlsConfigFile(properties: TlsProperties): string {
  return properties['tls.config.file'] || DEFAULT_TLS_CONFIG_FILE;
}

/**
 * Reads upstream's `tls.*` keys with its defaults (reference: remoting 6.1; upstream: `TlsSystemConfig`, `TlsHelper`). `overrides` is the
 * content of the override file: it wins for every key but `tls.server.mode`, `tls.enable` and `tls.config.file`. Pure; reading the file,
 * and leaving it out when that fails, is the caller's.
 *
 * Test mode is **on** unless a key says otherwise, and neither side verifies the other, as upstream has it: a server made of an empty
 * record takes TLS with a certificate that it makes itself. Whether that is wanted is for the program to say.
 */
export function tlsOptionsFromProperties(properties: TlsProperties, overrides: TlsProperties = {}): TlsPropertyOptions {
  const value = (key: string): string | undefined => overrides[key] ?? properties[key];
  const path = (key: string): string | undefined => value(key) || undefined;
  const flag = (key: string, otherwise: boolean): boolean => isTrue(value(key), otherwise);
  const testMode = flag('tls.test.mode.enable', true);
  const files = (side: 'server' | 'client'): TlsClientOptions => ({
    testMode,
    keyPath: path(`tls.${side}.keyPath`),
    keyPassword: path(`tls.${side}.keyPassword`),
    certPath: path(`tls.${side}.certPath`),
    trustCertPath: path(`tls.${side}.trustCertPath`),
  });
  return {
    server: {
      ...files('server'),
      mode: modeOf(properties['tls.server.mode']),
      needClientAuth: needClientAuthOf(value('tls.server.need.client.auth')),
      authClient: flag('tls.server.authClient', false),
    },
    client: { ...files('client'), authServer: flag('tls.client.authServer', false) },
    isClientEnabled: isTrue(properties['tls.enable'], false),
  };
}

/** As Java's `Boolean.parseBoolean`: true in any case is true, all else is false. */
function isTrue(text: string | undefined, otherwise: boolean): boolean {
  return text === undefined ? otherwise : text.toLowerCase() === 'true';
}

/** Exactly the names, in lower case; anything else counts as permissive. */
function modeOf(text: string | undefined): TlsMode {
  return Object.values(TlsMode).find((mode) => mode === text) ?? TlsMode.PERMISSIVE;
}

/** In any case; blank and unknown are none. */
function needClientAuthOf(text: string | undefined): NeedClientAuth {
  const name = text?.toLowerCase();
  return Object.values(NeedClientAuth).find((need) => need === name) ?? NeedClientAuth.NONE;
}
