import type { Clock } from '@rmqns/remoting';
import type { BrokerIdentity } from './broker-identity.js';
import type { RegistrationRound } from './broker-registrar-events.js';
import type { ResolvedBrokerRegistrarOptions } from './broker-registrar-options.js';
import { type FanOutResult, fanOut, type NameServerOutcome, type OnOutcome } from './fan-out.js';
import type { DataVersionAnswer, RegisterBrokerResult } from './name-server-client.js';
import type { NameServerLink } from './name-server-link.js';
import type { NameServerLinks } from './name-server-links.js';
import { decideRegister, ownVersion, type RegisterDecision } from './need-register.js';
import type { RegistrationRequests, TopicsChange } from './registration-requests.js';

export interface RegistrationRoundsOptions {
  readonly registrar: ResolvedBrokerRegistrarOptions;
  readonly links: NameServerLinks;
  readonly clock: Clock;
  readonly identity: () => BrokerIdentity;
  /** The requests for the table as it is now. */
  readonly requests: (change: TopicsChange | undefined) => RegistrationRequests;
  /** Gives up the rounds that begin now; `undefined`, or aborted: none begins. */
  readonly signal: () => AbortSignal | undefined;
  /** A round begins. */
  readonly onBegin: () => void;
  /** Told of each name server's part, but for those that are gone meanwhile and of rounds that were given up. */
  readonly onOutcome: OnOutcome<RegisterBrokerResult>;
  /** Told of the first name server in a round that said yes, before {@link onOutcome} is. */
  readonly onFirstAnswer: (outcome: NameServerOutcome<RegisterBrokerResult>, checkOrderConfig: boolean) => void;
  /** A round with at least one name server is over. */
  readonly onRound: (round: RegistrationRound) => void;
}

/** The registrations with all name servers at once. */
export class RegistrationRounds {
  readonly #options: RegistrationRoundsOptions;
  /** Rounds that begin in this turn. */
  readonly #beginning = new Map<string, Promise<RegistrationRound | undefined>>();

  constructor(options: RegistrationRoundsOptions) {
    this.#options = options;
  }

  /** One round, also for calls with the same arguments in the same turn. See `BrokerRegistrar.registerBrokerAll`. */
  registerBrokerAll(
    checkOrderConfig: boolean,
    oneway: boolean,
    forceRegister: boolean,
  ): Promise<RegistrationRound | undefined> {
    const key = `${checkOrderConfig} ${oneway} ${forceRegister}`;
    const beginning = this.#beginning.get(key);
    if (beginning !== undefined) return beginning;
    const round = Promise.resolve().then(() => {
      this.#beginning.delete(key);
      return this.#round(checkOrderConfig, oneway, forceRegister);
    });
    // A failure that nobody looks at is no crash.
    round.catch(() => undefined);
    this.#beginning.set(key, round);
    return round;
  }

  /** A round of its own with what changed, for those that have the rest. */
  registerChange(change: TopicsChange): Promise<RegistrationRound | undefined> {
    const round = this.#round(true, false, true, change);
    round.catch(() => undefined);
    return round;
  }

  async #round(
    checkOrderConfig: boolean,
    oneway: boolean,
    forceRegister: boolean,
    change?: TopicsChange,
  ): Promise<RegistrationRound | undefined> {
    const { clock, links, onBegin, onRound } = this.#options;
    const signal = this.#options.signal();
    if (signal === undefined || signal.aborted) return undefined;
    const began = clock.monotonic();
    onBegin();
    const decision = forceRegister ? undefined : await this.#needRegister();
    if (signal.aborted) return undefined;
    const { needed, queryOutcomes } = decision ?? { needed: true };
    const result = needed ? await this.#registerAll(oneway, checkOrderConfig, change) : { outcomes: [], completed: [] };
    if (signal.aborted) return undefined;
    const round = { ...result, needed, queryOutcomes, durationMillis: clock.monotonic() - began };
    if (links.size > 0) onRound(round);
    return round;
  }

  #needRegister(): Promise<RegisterDecision> {
    const { registrar, clock } = this.#options;
    const { topics, registerBrokerTimeoutMillis: timeoutMillis, fiveX } = registrar;
    const identity = this.#options.identity();
    const own = ownVersion(topics.current().dataVersion, fiveX);
    const links = this.#options.links.snapshot();
    const ask = async (address: string): Promise<DataVersionAnswer> =>
      (links.get(address) as NameServerLink).queryDataVersion(identity, own, fiveX);
    return decideRegister([...links.keys()], ask, own, { timeoutMillis, clock });
  }

  #registerAll(
    oneway: boolean,
    checkOrderConfig: boolean,
    change: TopicsChange | undefined,
  ): Promise<FanOutResult<RegisterBrokerResult>> {
    const { registrar, clock, requests: make, onFirstAnswer, onOutcome } = this.#options;
    const requests = make(change);
    const links = this.#options.links.snapshot();
    // Begun here, so that a round which waits for a slow name server does not keep the bodies in memory.
    const registrations = new Map([...links].map(([address, link]) => [address, link.register(requests, oneway)]));
    let answered = false;
    return fanOut([...links.keys()], async (address) => (await registrations.get(address)) ?? {}, {
      timeoutMillis: registrar.registerBrokerTimeoutMillis,
      clock,
      oneway,
      onOutcome: (outcome, late) => {
        const { address, status } = outcome;
        const isGone = this.#options.links.get(address) !== links.get(address);
        if (isGone || this.#options.signal()?.aborted !== false) return;
        if (!late && !answered && status === 'ok') {
          answered = true;
          onFirstAnswer(outcome, checkOrderConfig);
        }
        onOutcome(outcome, late);
      },
    });
  }
}
