import type { MasterAddresses } from './broker-registrar-events.js';
import type { NameServerOutcome } from './fan-out.js';
import type { RegisterBrokerResult } from './name-server-client.js';

export interface RegistrationAnswersOptions {
  readonly onMasterChanged: (addresses: MasterAddresses, nameServer: string) => void;
  readonly onOrderTopicConfig: (table: ReadonlyMap<string, string>, nameServer: string) => void;
}

/** What a broker takes from the answers to its registrations (reference: broker-registration 2.8). Where none came nothing is touched. */
export class RegistrationAnswers {
  readonly #options: RegistrationAnswersOptions;
  #master: MasterAddresses = { masterAddr: undefined, haServerAddr: undefined };

  constructor(options: RegistrationAnswersOptions) {
    this.#options = options;
  }

  /** As last told by a name server. */
  get masterAddresses(): MasterAddresses {
    return this.#master;
  }

  /** The first answer of a round. */
  useFirst(outcome: NameServerOutcome<RegisterBrokerResult>, checkOrderConfig: boolean): void {
    this.#use(outcome, checkOrderConfig, true);
  }

  /** That of a name server which may have just been restarted: a master that it does not know is none that is gone. */
  useReconnected(outcome: NameServerOutcome<RegisterBrokerResult>): void {
    this.#use(outcome, true, false);
  }

  #use(
    { address, result }: NameServerOutcome<RegisterBrokerResult>,
    checkOrderConfig: boolean,
    mayClear: boolean,
  ): void {
    if (result === undefined) return;
    const { masterAddr, haServerAddr, kvTable } = result;
    const changed = masterAddr !== this.#master.masterAddr || haServerAddr !== this.#master.haServerAddr;
    if (changed && (mayClear || masterAddr !== undefined)) {
      this.#master = { masterAddr, haServerAddr };
      this.#options.onMasterChanged(this.#master, address);
    }
    if (checkOrderConfig && kvTable !== undefined) this.#options.onOrderTopicConfig(kvTable, address);
  }
}
