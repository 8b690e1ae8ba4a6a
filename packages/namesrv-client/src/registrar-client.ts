import { MqVersion } from '@rmqns/protocol';
import { systemClock } from '@rmqns/remoting';
import type { BrokerRegistrarOptions, ResolvedBrokerRegistrarOptions } from './broker-registrar-options.js';
import { NameServerClient } from './name-server-client.js';
import { SilenceHandler } from './silence-handler.js';
import { ZoneRpcHook } from './zone-rpc-hook.js';

/**
 * The client of a registrar that was given none.
 *
 * @param zoneName asked for each request
 */
export function registrarClient(
  { fiveX, registerBrokerTimeoutMillis }: ResolvedBrokerRegistrarOptions,
  { tls, clock = systemClock, rpcHooks = [] }: BrokerRegistrarOptions,
  zoneName: () => string | undefined,
): NameServerClient {
  const client = new NameServerClient({
    clock,
    remotingClientOptions: {
      version: fiveX ? MqVersion.V5_3_3 : MqVersion.V4_9_7,
      tls,
      // A name server forgets the broker with its connection, so one that is merely slow keeps it.
      closeSocketIfTimeout: false,
      // When a lost one is dialled again is for its link alone, which has it back within 2 s however long it was down.
      reconnectInitialMillis: 1,
      reconnectMaxMillis: 1,
      reconnectJitter: 0,
      initChannel: (channel) => new SilenceHandler(clock, registerBrokerTimeoutMillis).addTo(channel),
    },
  });
  for (const hook of [new ZoneRpcHook(zoneName), ...rpcHooks]) client.remotingClient.registerRpcHook(hook);
  return client;
}
