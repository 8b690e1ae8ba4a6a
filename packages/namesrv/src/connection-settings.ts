import { SerializeType } from '@rmqns/remoting';
import { proxiesOf } from './address-ranges.js';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';
import type { Profile } from './profile.js';

/** How connections are served, by whichever process. */
export interface ConnectionSettings {
  readonly allIdleMillis: number;
  readonly maxFrameBytes: number;
  readonly proxyProtocolFrom: readonly string[];
  /** MQVersion ordinal that answers carry. */
  readonly version: number;
  readonly responseSerializeType: 'request' | SerializeType;
}

export function connectionSettingsOf(options: ResolvedNamesrvOptions, profile: Profile): ConnectionSettings {
  return {
    allIdleMillis: options.serverChannelMaxIdleTimeSeconds * 1000,
    maxFrameBytes: options.maxFrameBytes,
    proxyProtocolFrom: proxiesOf(options, profile.understandsProxyProtocol),
    version: profile.version,
    responseSerializeType: profile.answersInRequestFormat ? 'request' : SerializeType[options.serializeType ?? 'JSON'],
  };
}
