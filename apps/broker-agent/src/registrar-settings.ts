import type { BrokerRegistrarOptions } from '@rmqns/namesrv-client';
import type { AgentConfig } from './agent-config.js';
import type { AgentParts } from './agent-parts.js';
import { brokerIdentity } from './register-request.js';

/** What the configuration says of registering, as a registrar has it. */
export function registrarSettings(
  { identity, register, namesrvTls }: AgentConfig,
  { nameServers, credentials }: AgentParts,
): Omit<BrokerRegistrarOptions, 'topics'> {
  return {
    identity: brokerIdentity(identity),
    nameServerAddressList: nameServers.current ?? [],
    profile: identity.enableActingMaster === true ? '5.x' : '4.x',
    splitRegistrationSize: register.splitSize,
    brokerHeartbeatIntervalMillis: register.heartbeatIntervalMillis,
    compatibleWithOldNameSrv: register.compatibleWithOldNameSrv,
    conflictPolicy: register.onConflict,
    filterServerList: identity.filterServers,
    registerNameServerPeriodMillis: register.periodMillis,
    registerBrokerTimeoutMillis: register.timeoutMillis,
    forceRegister: register.forceRegister,
    compressedRegister: register.compressed,
    reconnectJitter: register.reconnectJitter,
    tls: namesrvTls,
    rpcHooks: credentials === undefined ? [] : [credentials],
  };
}
