import type { BrokerIdentity } from './broker-identity.js';
import { type FanOutResult, fanOut, type OnOutcome } from './fan-out.js';
import type { NameServerClient } from './name-server-client.js';

/** How long a broker waits for each name server when it leaves (reference: broker-registration 3.1). */
export const DEFAULT_UNREGISTER_BROKER_TIMEOUT_MILLIS = 3_000;

export interface UnregisterBrokerAllOptions {
  /** For each call and for all together; default 3,000. */
  readonly timeoutMillis?: number | undefined;
  readonly onOutcome?: OnOutcome<void> | undefined;
}

/**
 * Unregisters a broker from all name servers at once, where a real broker asks one after the other: leaving takes 3 s at most, whatever
 * hangs (upstream: `BrokerOuterAPI.unregisterBrokerAll`; reference: broker-registration 3.1). Never throws for what happens at a name server.
 */
export function unregisterBrokerAll(
  client: NameServerClient,
  addresses: readonly string[],
  identity: BrokerIdentity,
  { timeoutMillis = DEFAULT_UNREGISTER_BROKER_TIMEOUT_MILLIS, onOutcome }: UnregisterBrokerAllOptions = {},
): Promise<FanOutResult<void>> {
  return fanOut(addresses, (address) => client.unregisterBroker(address, identity, { timeoutMillis }), {
    timeoutMillis,
    clock: client.clock,
    onOutcome,
  });
}
