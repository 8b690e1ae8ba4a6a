import type {
  MasterAddresses,
  NameServerOutcome,
  RegisterBrokerResult,
  RegistrationRound,
} from '@rmqns/namesrv-client';
import type { Logger } from '@rmqns/remoting';

type Outcome = NameServerOutcome<RegisterBrokerResult>;

/**
 * Says what changes: a name server that fails is told once until it recovers, and a round is worth a line only when it went otherwise than
 * the one before. What stays the same is told at debug.
 */
export class RegistrationLog {
  readonly #logger: Logger;
  readonly #registered = new Map<string, boolean>();
  #summary = '';
  #orderTopics = '';
  /** The master's addresses as last told of. */
  #master: string | undefined;
  /** Others, and whether they came since the last round ended. */
  #newMaster: { readonly addresses: MasterAddresses; readonly namesrv: string; isFresh: boolean } | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  round({ needed, outcomes, durationMillis }: RegistrationRound): void {
    this.#confirmMaster();
    if (!needed) {
      this.#logger.debug({}, 'all name servers know the topics, nothing was sent');
      return;
    }
    for (const outcome of outcomes) this.#outcome(outcome, 'registered');
    const registered = outcomes.filter(({ status }) => status === 'ok').length;
    const summary = `registered with ${registered} of ${outcomes.length} name servers`;
    const fields = { registered, of: outcomes.length, durationMillis: Math.round(durationMillis) };
    if (summary === this.#summary) this.#logger.debug(fields, summary);
    else if (registered > 0) this.#logger.info(fields, summary);
    else {
      const waitingFor = outcomes.map(({ address }) => address);
      this.#logger.warn({ ...fields, waitingFor }, 'registered with no name server, waiting for one');
    }
    this.#summary = summary;
  }

  /** An answer that came after its round. */
  late(outcome: Outcome): void {
    this.#outcome(outcome, 'registered late');
  }

  /** A registration outside the rounds. */
  reconnect(outcome: Outcome): void {
    const before = this.#registered.get(outcome.address);
    if (outcome.status === 'ok' && before === true)
      this.#logger.info({ namesrv: outcome.address }, 'connected anew and registered');
    else this.#outcome(outcome, 'registered');
    // What the rounds told of all name servers no longer holds.
    if ((outcome.status === 'ok') !== before) this.#summary = '';
  }

  /** What became of the farewells; one that fails matters only where the node is known. */
  left(outcomes: readonly NameServerOutcome<void>[]): void {
    for (const { address, status, error } of outcomes) {
      if (status === 'ok') this.#logger.info({ namesrv: address }, 'unregistered');
      else {
        const level = this.#registered.get(address) === true ? 'warn' : 'debug';
        this.#logger[level]({ namesrv: address, code: error?.code, problem: error?.message }, 'could not unregister');
      }
    }
  }

  /** Worth a line when it holds for a round: of name servers that disagree another one may be the first to answer each time. */
  masterChanged(addresses: MasterAddresses, namesrv: string): void {
    this.#newMaster = JSON.stringify(addresses) === this.#master ? undefined : { addresses, namesrv, isFresh: true };
    if (this.#master === undefined) this.#tellMaster();
  }

  #confirmMaster(): void {
    if (this.#newMaster?.isFresh === false) this.#tellMaster();
    else if (this.#newMaster !== undefined) this.#newMaster.isFresh = false;
  }

  #tellMaster(): void {
    if (this.#newMaster === undefined) return;
    const { addresses, namesrv } = this.#newMaster;
    const { masterAddr, haServerAddr } = addresses;
    this.#newMaster = undefined;
    this.#master = JSON.stringify(addresses);
    const fields = { masterAddr: masterAddr ?? null, haServerAddr: haServerAddr ?? null, namesrv };
    this.#logger.info(fields, masterAddr === undefined ? 'the master is gone' : 'the master is known');
  }

  orderTopics(table: ReadonlyMap<string, string>, namesrv: string): void {
    const text = JSON.stringify([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
    if (text === this.#orderTopics || (this.#orderTopics === '' && table.size === 0)) return;
    this.#orderTopics = text;
    this.#logger.info({ orderTopics: Object.fromEntries(table), namesrv }, 'the table of ordered topics changed');
  }

  #outcome({ address, status, error, durationMillis }: Outcome, what: string): void {
    const ok = status === 'ok';
    const before = this.#registered.get(address);
    const fields = { namesrv: address, durationMillis: Math.round(durationMillis) };
    this.#registered.set(address, ok);
    if (ok && before !== true) this.#logger.info(fields, what);
    else if (ok) this.#logger.debug(fields, what);
    else {
      const failure = { ...fields, code: error?.code, problem: error?.message };
      if (before === false) this.#logger.debug(failure, 'still not registered');
      else this.#logger.warn(failure, 'not registered, tried again until it works');
    }
  }
}
