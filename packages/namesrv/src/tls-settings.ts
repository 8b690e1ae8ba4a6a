import { type TlsPropertyOptions, tlsOptionsFromProperties } from '@rmqns/remoting';
import { namesrvOptionNames } from './namesrv-option-table.js';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';

/**
 * What the keys of TLS come to. Other than in Apache a certificate that is named is used, whatever is said of test mode by silence, and
 * enforced TLS holds for the server's own calls as well.
 */
export function tlsSettingsOf(options: ResolvedNamesrvOptions): TlsPropertyOptions {
  const properties: Record<string, string> = {
    'tls.test.mode.enable': String(options['tls.server.certPath'] === undefined),
    'tls.enable': String(options.useTLS || options['tls.server.mode'] === 'enforcing'),
  };
  for (const name of namesrvOptionNames) {
    const value = options[name];
    if (name.startsWith('tls.') && value !== undefined) properties[name] = String(value);
  }
  return tlsOptionsFromProperties(properties);
}
