import { AddressRange } from '@rmqns/remoting';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** The entries of a list of addresses and ranges, as options write it. */
function splitAddressRanges(text: string): string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}

/** What is wrong with such a list. */
export function addressRangesProblem(text: string): string | undefined {
  try {
    new AddressRange(splitAddressRanges(text));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Who may register brokers; `undefined` when everyone. */
export function registrarsOf({ registerAllowCidrs }: ResolvedNamesrvOptions): AddressRange | undefined {
  return registerAllowCidrs === undefined ? undefined : new AddressRange(splitAddressRanges(registerAllowCidrs));
}

/**
 * Whose PROXY protocol header is believed. Without the option it is everyone's where the profile's release understands the header, but no
 * one's once a rule goes by addresses: a header is how a stranger would choose one.
 */
export function proxiesOf(options: ResolvedNamesrvOptions, understandsProxyProtocol: boolean): readonly string[] {
  const { proxyProtocolFrom, registerAllowCidrs } = options;
  if (proxyProtocolFrom !== undefined) return splitAddressRanges(proxyProtocolFrom);
  return understandsProxyProtocol && registerAllowCidrs === undefined ? EVERYONE : [];
}
