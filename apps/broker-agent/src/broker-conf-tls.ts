import { decodePropertiesBytes, parseProperties } from '@rmqns/protocol';
import { type TlsClientOptions, type TlsProperties, tlsConfigFile, tlsOptionsFromProperties } from '@rmqns/remoting';
import { javaSystemProperties } from './java-system-properties.js';
import type { PropertyReader } from './property-reader.js';
import { readSmallFile } from './read-small-file.js';
import type { Surroundings } from './surroundings.js';

/** TLS beside a broker; `undefined`: none. */
export interface BrokerTls {
  readonly namesrvTls?: TlsClientOptions | undefined;
  /** With the broker itself. */
  readonly brokerTls?: TlsClientOptions | undefined;
}

/** Of the file of properties. */
const MAX_BYTES = 1 << 20;

/**
 * TLS with the name servers as a broker has it (reference: remoting 6): it is on by `useTLS` of the file or `tls.enable`, or where the
 * broker itself takes nothing else; the certificates come out of system properties and the file that goes over them. Other than in Apache
 * a certificate that is named is used, whatever is said of test mode by silence. A broker that takes nothing but TLS is asked over TLS.
 */
export function readBrokerTls(reader: PropertyReader, { variables }: Surroundings): BrokerTls {
  const properties = javaSystemProperties(variables);
  const overrides = readOverrides(tlsConfigFile(properties));
  const isNamed = Object.keys({ ...properties, ...overrides }).some((key) => /^tls\.client\.\w+Path$/.test(key));
  const { client, isClientEnabled, server } = tlsOptionsFromProperties(
    { 'tls.test.mode.enable': String(!isNamed), ...properties },
    overrides,
  );
  const isEnforcing = server.mode === 'enforcing';
  const isEnabled = isClientEnabled || (properties['tls.enable'] === undefined && isEnforcing);
  return {
    ...(reader.boolean('useTLS', isEnabled) ? { namesrvTls: client } : {}),
    ...(isEnforcing ? { brokerTls: client } : {}),
  };
}

/** Where the file is not there or cannot be read, nothing is overridden, as in Java. */
function readOverrides(path: string): TlsProperties {
  try {
    const { entries } = parseProperties(decodePropertiesBytes(readSmallFile(path, MAX_BYTES)));
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  } catch {
    return {};
  }
}
