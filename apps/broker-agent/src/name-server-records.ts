import type { BrokerRegistrar, NameServerOutcome, RegisterBrokerResult } from '@rmqns/namesrv-client';
import type { Clock } from '@rmqns/remoting';
import type { NameServerStatus } from './agent-status.js';
import { nameServerProblem } from './name-server-problem.js';

interface NameServerRecord {
  lastSuccess?: { readonly millis: number; readonly monotonicMillis: number } | undefined;
  problem?: string | undefined;
}

/** Remembers how the last registration with each name server went. */
export class NameServerRecords {
  readonly #clock: Clock;
  readonly #records = new Map<string, NameServerRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A registration with one of them is over. */
  note({ address, status, error }: NameServerOutcome<RegisterBrokerResult>): void {
    const record = this.#records.get(address) ?? {};
    if (status === 'ok') record.lastSuccess = { millis: this.#clock.now(), monotonicMillis: this.#clock.monotonic() };
    record.problem = nameServerProblem(error);
    this.#records.set(address, record);
  }

  /** Those that a registrar has now; others are forgotten. */
  describe(registrar: BrokerRegistrar): NameServerStatus[] {
    const { nameServerAddressList, registeredAddressList, flappingAddressList, conflicts } = registrar;
    for (const address of this.#records.keys())
      if (!nameServerAddressList.includes(address)) this.#records.delete(address);
    return nameServerAddressList.map((address) => {
      const { lastSuccess, problem } = this.#records.get(address) ?? {};
      return {
        address,
        registered: registeredAddressList.includes(address),
        conflict: conflicts.find(({ nameServer }) => nameServer === address)?.holderAddr,
        flapping: flappingAddressList.includes(address),
        lastSuccessMillis: lastSuccess?.millis,
        lastSuccessAgeMillis: lastSuccess && this.#clock.monotonic() - lastSuccess.monotonicMillis,
        problem,
      };
    });
  }
}
