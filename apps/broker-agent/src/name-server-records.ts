import type { BrokerRegistrar, NameServerOutcome, RegisterBrokerResult } from '@rmqns/namesrv-client';
import type { Clock } from '@rmqns/remoting';
import type { NameServerStatus } from './agent-status.js';
import { nameServerProblem } from './name-server-problem.js';

interface NameServerRecord {
  lastSuccessMillis?: number | undefined;
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
    if (status === 'ok') record.lastSuccessMillis = this.#clock.now();
    record.problem = nameServerProblem(error);
    this.#records.set(address, record);
  }

  /** Those that a registrar has now; others are forgotten. */
  describe(registrar: BrokerRegistrar): NameServerStatus[] {
    const { nameServerAddressList, registeredAddressList, flappingAddressList, conflicts } = registrar;
    for (const address of this.#records.keys())
      if (!nameServerAddressList.includes(address)) this.#records.delete(address);
    return nameServerAddressList.map((address) => ({
      address,
      registered: registeredAddressList.includes(address),
      conflict: conflicts.find(({ nameServer }) => nameServer === address)?.holderAddr,
      flapping: flappingAddressList.includes(address),
      lastSuccessMillis: this.#records.get(address)?.lastSuccessMillis,
      problem: this.#records.get(address)?.problem,
    }));
  }
}
