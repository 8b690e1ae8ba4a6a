import { type FanOutResult, fanOut, type OnOutcome } from './fan-out.js';
import type { NameServerClient, RegisterBrokerResult } from './name-server-client.js';
import { type BrokerRegistration, RegisterBrokerRequest } from './register-broker-request.js';

/** How long a broker waits for the answers to its registration (upstream: `registerBrokerTimeoutMills`). */
export const DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS = 6_000;

export interface RegisterBrokerAllOptions {
  /** Sends without waiting for answers; every outcome is then `sent` or `failed`, without result. Default false. */
  readonly oneway?: boolean | undefined;
  /** For each call and for the barrier; default 6,000. */
  readonly timeoutMillis?: number | undefined;
  /** Gives the round up: calls end with `ABORTED`, and what was not sent is not sent. */
  readonly signal?: AbortSignal | undefined;
  readonly onOutcome?: OnOutcome<RegisterBrokerResult> | undefined;
}

/**
 * Registers a broker with all name servers at once (upstream: `BrokerOuterAPI.registerBrokerAll`; reference: broker-registration 2.3).
 * The body and its checksum are made once; each name server gets a request object and an opaque of its own. Waits until all have
 * answered or `timeoutMillis` are over: a name server that is slow, frozen or dead neither delays nor fails another. Without addresses
 * nothing happens.
 *
 * A 5.x name server refuses a table of exactly one topic from a broker that it does not know (code 1, `register broker failed`);
 * `BrokerRegistrar` sees to that, this function does not.
 *
 * @throws RemotingError `ENCODE_FAILED` when a topic cannot be written compressed; whatever happens at a name server is its outcome
 */
export async function registerBrokerAll(
  client: NameServerClient,
  addresses: readonly string[],
  registration: BrokerRegistration,
  options: RegisterBrokerAllOptions = {},
): Promise<FanOutResult<RegisterBrokerResult>> {
  const { oneway = false, timeoutMillis = DEFAULT_REGISTER_BROKER_TIMEOUT_MILLIS, signal, onOutcome } = options;
  if (addresses.length === 0) return { outcomes: [], completed: [] };
  const request = new RegisterBrokerRequest(registration);
  return await fanOut<RegisterBrokerResult>(
    addresses,
    async (address) => {
      if (!oneway) return await client.registerBroker(address, request, { timeoutMillis, signal });
      await client.registerBrokerOneway(address, request, { timeoutMillis, signal });
      return {};
    },
    { timeoutMillis, clock: client.clock, oneway, onOutcome },
  );
}
