import type { Clock, Logger } from '@rmqns/remoting';
import type { Health, HealthGate, ProbeStatus } from './health-gate.js';
import { Poller } from './poller.js';
import type { Probe } from './probe.js';
import { combine, newProbeState, observe, type ProbeRules, type ProbeState } from './probe-state.js';
import { ToldProblems } from './told-problems.js';

/** A probe and when it looks. */
export interface ScheduledProbe extends ProbeRules {
  /** For log, status and metrics, another for each probe. */
  readonly name: string;
  readonly probe: Probe;
  readonly everyMillis: number;
  readonly timeoutMillis: number;
}

export interface ProbedHealthOptions {
  readonly probes: readonly ScheduledProbe[];
  readonly mode: 'all' | 'any';
  /** What each probe is before its first look. */
  readonly initial: Health;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The node's health by what its probes say, each looking by itself, the first time at once. */
export class ProbedHealth implements HealthGate {
  readonly #options: ProbedHealthOptions;
  readonly #looks: readonly LookingProbe[];
  #health: Health;
  #onChange = (): void => {};

  constructor(options: ProbedHealthOptions) {
    this.#options = options;
    this.#looks = options.probes.map((probe) => new LookingProbe(probe, options, () => this.#update()));
    this.#health = this.#combined;
  }

  get health(): Health {
    return this.#health;
  }

  get probes(): readonly ProbeStatus[] {
    return this.#looks.map(({ status }) => status);
  }

  start(onChange: () => void): void {
    this.#onChange = onChange;
    for (const look of this.#looks) void look.poller.start();
  }

  close(): void {
    for (const look of this.#looks) look.poller.close();
  }

  get #combined(): Health {
    const healths = this.#looks.map(({ status }) => status.health);
    return combine(healths, this.#options.mode);
  }

  #update(): void {
    const health = this.#combined;
    if (health === this.#health) return;
    this.#health = health;
    this.#onChange();
  }
}

/** One probe and what it has seen. */
class LookingProbe {
  readonly poller: Poller;
  readonly #probe: ScheduledProbe;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onTurn: () => void;
  readonly #told = new ToldProblems();
  #state: ProbeState;
  #output: string | undefined;
  #durationMillis: number | undefined;

  constructor(probe: ScheduledProbe, { initial, clock, logger }: ProbedHealthOptions, onTurn: () => void) {
    this.#probe = probe;
    this.#clock = clock;
    this.#logger = logger;
    this.#onTurn = onTurn;
    this.#state = newProbeState(initial, clock.now());
    let beganMillis = 0;
    const note = (passed: boolean, output: string): void => {
      this.#durationMillis = clock.monotonic() - beganMillis;
      this.#note(passed, output);
    };
    this.poller = new Poller({
      ...probe,
      clock,
      look: async (signal) => {
        beganMillis = clock.monotonic();
        const { passed, output } = await probe.probe(signal);
        if (!signal.aborted) note(passed, output);
      },
      onError: (problem) => note(false, problem),
    });
  }

  get status(): ProbeStatus {
    const { health, sinceMillis } = this.#state;
    return {
      name: this.#probe.name,
      health,
      output: this.#output,
      sinceMillis,
      durationMillis: this.#durationMillis,
    };
  }

  #note(passed: boolean, output: string): void {
    const before = this.#state;
    this.#output = output;
    this.#state = observe(before, passed, this.#probe, this.#clock.now());
    const fields = { probe: this.#probe.name, output };
    if (this.#state.health === before.health) {
      // Why it does not pass yet, or no longer for the reason that it failed for.
      const isNews = !passed && before.health === 'failing' && this.#told.isNews(output);
      this.#logger[isNews ? 'warn' : 'debug'](fields, passed ? 'a look passed' : 'a look failed');
      return;
    }
    this.#told.clear();
    if (!passed) this.#told.isNews(output);
    if (passed) this.#logger.info(fields, 'the probe passes');
    else this.#logger.warn(fields, 'the probe fails');
    this.#onTurn();
  }
}
