import type {
  BrokerConflict,
  MasterAddresses,
  NameServerOutcome,
  RegisterBrokerResult,
  RegistrationRound,
} from '@rmqns/namesrv-client';
import type { Logger } from '@rmqns/remoting';
import { nameServerProblem } from './name-server-problem.js';

type Outcome = NameServerOutcome<RegisterBrokerResult>;

/**
 * Says what changes: a name server that fails is told once until it recovers, and a round is worth a line only when it went otherwise than
 * the one before. What stays the same is told at debug.
 */
export class RegistrationLog {
  readonly #logger: Logger;
  readonly #registered = new Map<string, boolean>();
  /** Those of rounds that were told as they came. */
  readonly #told = new WeakSet<Outcome>();
  /** Name servers that say yes and hang up. */
  readonly #flapping = new Set<string>();
  #summary = '';
  /** The name servers that did not answer whether they know the topics, as last told of. */
  #silent = '[]';
  #orderTopics = '';
  /** The master's addresses as last told of. */
  #master: string | undefined;
  /** Others, and whether they came since the last round ended. */
  #newMaster: { readonly addresses: MasterAddresses; readonly namesrv: string; isFresh: boolean } | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param flapping the name servers that still say yes and hang up */
  round(
    { needed, outcomes, queryOutcomes, durationMillis }: RegistrationRound,
    flapping: readonly string[] = [],
  ): void {
    this.#confirmMaster();
    for (const namesrv of this.#flapping) {
      if (flapping.includes(namesrv)) continue;
      this.#flapping.delete(namesrv);
      this.#logger.info({ namesrv }, 'no longer hangs up');
    }
    if (!needed) {
      this.#notNeeded(queryOutcomes ?? []);
      return;
    }
    for (const outcome of outcomes) if (!this.#told.has(outcome)) this.#outcome(outcome, 'registered');
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

  #notNeeded(answers: NonNullable<RegistrationRound['queryOutcomes']>): void {
    const silent = answers.filter(({ status }) => status !== 'ok').map(({ address }) => address);
    const text = JSON.stringify(silent);
    if (silent.length > 0 && text !== this.#silent)
      this.#logger.warn(
        { namesrv: silent },
        'did not say whether they know the topics; the others do, nothing was sent',
      );
    else this.#logger.debug({}, 'all name servers that answered know the topics, nothing was sent');
    this.#silent = text;
  }

  /** A name server's part in a round, as soon as it is over: nobody's line waits for the slowest. */
  outcome(outcome: Outcome, isLate: boolean): void {
    this.#told.add(outcome);
    this.#outcome(outcome, isLate ? 'registered late' : 'registered');
  }

  /** Told once, instead of each connection that it takes and ends. */
  flapping(namesrv: string, shortConnections: number): void {
    this.#flapping.add(namesrv);
    const fields = { namesrv, shortConnections };
    this.#logger.warn(fields, 'says yes and hangs up at once each time, tried again every 5 s at most');
  }

  /** The loudest line that there is: two nodes believe that they are one. */
  conflict({ nameServer: namesrv, brokerName, brokerId, brokerAddr, holderAddr }: BrokerConflict): void {
    this.#registered.set(namesrv, false);
    const fields = { event: 'broker.conflict', namesrv, brokerName, brokerId, brokerAddr, holderAddr };
    this.#logger.error(
      fields,
      'another node has the name and id of this broker: nothing is registered there until it is gone; give one of them another id',
    );
  }

  conflictEnded(namesrv: string): void {
    const fields = { event: 'broker.conflict.ended', namesrv };
    this.#logger.info(fields, 'no other node has the name and id of this broker any more');
  }

  /** A registration outside the rounds. */
  reconnect(outcome: Outcome): void {
    const before = this.#registered.get(outcome.address);
    if (this.#flapping.has(outcome.address)) {
      this.#outcome(outcome, 'connected anew and registered');
      return;
    }
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
        this.#logger[level](
          { namesrv: address, code: error?.code, problem: nameServerProblem(error) },
          'could not unregister',
        );
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

  /** @returns whether it is another table than before */
  orderTopics(table: ReadonlyMap<string, string>, namesrv: string): boolean {
    const text = JSON.stringify([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
    if (text === this.#orderTopics || (this.#orderTopics === '' && table.size === 0)) return false;
    this.#orderTopics = text;
    this.#logger.info({ orderTopics: Object.fromEntries(table), namesrv }, 'the table of ordered topics changed');
    return true;
  }

  #outcome({ address, status, error, durationMillis }: Outcome, what: string): void {
    const ok = status === 'ok';
    const before = this.#registered.get(address);
    const fields = { namesrv: address, durationMillis: Math.round(durationMillis) };
    this.#registered.set(address, ok);
    const isNews = ok !== before && !this.#flapping.has(address);
    if (ok) this.#logger[isNews ? 'info' : 'debug'](fields, what);
    else {
      const failure = { ...fields, code: error?.code, problem: nameServerProblem(error) };
      if (isNews) this.#logger.warn(failure, 'not registered, tried again until it works');
      else this.#logger.debug(failure, 'still not registered');
    }
  }
}
