import fc from 'fast-check';
import { RemotingClient } from '../../src/client/remoting-client.js';
import type { Timer } from '../../src/clock.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError, type RemotingErrorCode } from '../../src/errors.js';
import { ManualClock } from '../../src/testing.js';
import { until } from '../client/raw-server.js';
import type { MoodyServer } from './moody-server.js';

const ASYNC_PERMITS = 3;
const ONEWAY_PERMITS = 2;
const MAX_FRAME_BYTES = 1_000;
const SUCCESS = 0;
const GO_AWAY = 1500;
const steps = [
  'sync',
  'sync',
  'async',
  'burst',
  'oneway',
  'tooLarge',
  'answer',
  'answer',
  'goAway',
  'tick',
  'abort',
  'reset',
  'breakWrites',
  'refuseDials',
  'hangDials',
  'openDials',
  'down',
  'up',
] as const;

type Step = { readonly kind: (typeof steps)[number]; readonly n: number };
type Outcome = RemotingErrorCode | 'answer' | 'handed over';

type CallKind = 'sync' | 'async' | 'oneway' | 'tooLarge';

interface Call {
  readonly name: string;
  readonly kind: CallKind;
  readonly controller: AbortController;
  readonly dueMillis: number;
  readonly outcomes: Outcome[];
}

interface Chosen {
  readonly waitForPermit: boolean;
  readonly limitSyncCalls: boolean;
  readonly eager: boolean;
  readonly waitForReady: boolean;
  readonly interceptor: 'none' | 'passes' | 'sends again';
  readonly end: 'close' | 'destroy';
}

/** Delays are times: never below 0, never no number, never more than a timer can wait. */
class CheckedClock extends ManualClock {
  override setTimeout(task: () => void, delayMillis: number): Timer {
    if (!(delayMillis >= 0 && delayMillis < 2 ** 31)) throw new Error(`no timer can wait ${delayMillis} ms`);
    return super.setTimeout(task, delayMillis);
  }

  override setInterval(task: () => void, periodMillis: number): Timer {
    if (!(periodMillis > 0 && periodMillis < 2 ** 31)) throw new Error(`no timer can wait ${periodMillis} ms`);
    return super.setInterval(task, periodMillis);
  }
}

/** What so many interleavings came to. */
export class EndingsTally {
  interleavings = 0;
  steps = 0;
  calls = 0;
  /** Calls by how they ended. */
  readonly endings: Partial<Record<Outcome, number>> = {};
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** What the property is given: steps, and how client and end are chosen. */
export type Interleaved = [Step[], Chosen];

/**
 * The property that every call of a client ends exactly once, whatever happens in whatever order, as a model of it allows: with its own answer,
 * in time, with an error for which there was a cause, saying `sent: no` only where no server has served it; and that nothing is left behind.
 */
export function callEndings(makeServer: () => MoodyServer, tally = new EndingsTally()): fc.IAsyncProperty<Interleaved> {
  const step = fc.record({ kind: fc.constantFrom(...steps), n: fc.nat({ max: 9 }) });
  const chosen = fc.record({
    waitForPermit: fc.boolean(),
    limitSyncCalls: fc.boolean(),
    eager: fc.boolean(),
    waitForReady: fc.boolean(),
    interceptor: fc.constantFrom('none' as const, 'passes' as const, 'sends again' as const),
    end: fc.constantFrom('close' as const, 'destroy' as const),
  });
  return fc.asyncProperty(fc.array(step, { maxLength: 40 }), chosen, async (taken, options) => {
    await new Interleaving(makeServer(), options, tally).run(taken);
    tally.interleavings++;
    tally.steps += taken.length;
  });
}

class Interleaving {
  readonly #server: MoodyServer;
  readonly #chosen: Chosen;
  readonly #tally: EndingsTally;
  readonly #clock = new CheckedClock();
  readonly #client: RemotingClient;
  readonly #calls: Call[] = [];
  /** What has happened that some endings need. */
  readonly #happened = new Set<Step['kind'] | 'end'>();
  #cutOff = 0;
  readonly #faults: string[] = [];

  constructor(server: MoodyServer, chosen: Chosen, tally: EndingsTally) {
    this.#server = server;
    this.#chosen = chosen;
    this.#tally = tally;
    this.#client = new RemotingClient({
      clock: this.#clock,
      createConnection: server.createConnection,
      waitForPermit: chosen.waitForPermit,
      limitSyncCalls: chosen.limitSyncCalls,
      eager: chosen.eager,
      asyncPermits: ASYNC_PERMITS,
      onewayPermits: ONEWAY_PERMITS,
      maxFrameBytes: MAX_FRAME_BYTES,
    });
    if (chosen.interceptor === 'passes') this.#client.use(async (_, next) => await next());
    if (chosen.interceptor === 'sends again') this.#client.use((_, next) => next().catch(next));
  }

  async run(taken: readonly Step[]): Promise<void> {
    await this.#server.up();
    for (const step of taken) {
      this.#happened.add(step.kind);
      await this.#take(step);
      if (step.n % 2 === 0) {
        await turns(3);
        this.#checkTimes();
      }
      this.#throwFaults();
    }
    this.#happened.add('end');
    const closed = this.#client[this.#chosen.end]();
    for (let i = 0; i < 4; i++) {
      this.#clock.advance(1_000);
      await turns(2);
    }
    await closed;
    await this.#server.down();
    await turns(2);
    await this.#checkEnd();
    this.#throwFaults();
  }

  async #take({ kind, n }: Step): Promise<void> {
    switch (kind) {
      case 'sync':
      case 'async':
      case 'oneway':
      case 'tooLarge':
        this.#call(kind, 1 + n * 300);
        break;
      case 'burst':
        for (let i = 0; i <= ASYNC_PERMITS; i++) this.#call('async', 1 + n * 300);
        break;
      case 'answer':
        this.#server.answer(n, SUCCESS);
        break;
      case 'goAway':
        this.#server.answer(n, GO_AWAY);
        break;
      case 'tick':
        this.#clock.advance(n * 100);
        break;
      case 'abort':
        this.#calls[n]?.controller.abort();
        break;
      case 'reset':
        this.#cutOff++;
        this.#server.reset();
        break;
      case 'breakWrites':
        this.#cutOff++;
        this.#server.breakWrites();
        break;
      case 'refuseDials':
        this.#server.setDialMood('refuse');
        break;
      case 'hangDials':
        this.#server.setDialMood('hang');
        break;
      case 'openDials':
        this.#server.setDialMood('open');
        break;
      case 'down':
        await this.#server.down();
        break;
      case 'up':
        await this.#server.up();
        break;
    }
  }

  #call(kind: CallKind, timeoutMillis: number): void {
    const call: Call = {
      name: `call ${this.#calls.length}`,
      kind,
      controller: new AbortController(),
      dueMillis: this.#clock.monotonic() + timeoutMillis,
      outcomes: [],
    };
    this.#calls.push(call);
    const body = kind === 'tooLarge' ? Buffer.alloc(2 * MAX_FRAME_BYTES) : undefined;
    const request = RemotingCommand.request(1, { body });
    request.remark = call.name;
    const options = { signal: call.controller.signal, waitForReady: this.#chosen.waitForReady };
    const { address } = this.#server;
    if (kind === 'async') {
      this.#client.invokeAsync(
        address,
        request,
        timeoutMillis,
        (error, response) => {
          if (error === undefined) this.#answered(call, response);
          else this.#failed(call, error);
        },
        options,
      );
    } else if (kind === 'oneway') {
      this.#client.invokeOneway(address, request, timeoutMillis, options).then(
        () => this.#ended(call, 'handed over'),
        (error: unknown) => this.#failed(call, error),
      );
    } else {
      this.#client.invokeSync(address, request, timeoutMillis, options).then(
        (response) => this.#answered(call, response),
        (error: unknown) => this.#failed(call, error),
      );
    }
  }

  #answered(call: Call, response: RemotingCommand | undefined): void {
    this.#ended(call, 'answer');
    if (response?.remark !== call.name) this.#fault(call, `got the answer of ${response?.remark}`);
    if (response?.code !== SUCCESS) this.#fault(call, `got code ${response?.code}`);
    if (!this.#server.hasServed(call.name)) this.#fault(call, 'got an answer, though nobody served it');
  }

  #failed(call: Call, error: unknown): void {
    if (!RemotingError.is(error)) {
      this.#fault(call, `failed with ${String(error)}`);
      return;
    }
    this.#ended(call, error.code);
    if (error.sent === undefined) this.#fault(call, `failed with ${error.code} and does not say whether it was sent`);
    if (error.sent === 'no' && this.#server.hasServed(call.name))
      this.#fault(call, `failed with ${error.code} and sent: no, though it was served: ${error.message}`);
    const cause = this.#missingCause(call, error);
    if (cause !== undefined) this.#fault(call, `failed with ${error.code} without ${cause}: ${error.message}`);
  }

  #ended(call: Call, outcome: Outcome): void {
    const { endings } = this.#tally;
    endings[outcome] = (endings[outcome] ?? 0) + 1;
    call.outcomes.push(outcome);
    if (call.outcomes.length > 1) this.#fault(call, `ended ${call.outcomes.length} times: ${call.outcomes.join(', ')}`);
  }

  /** What had to happen for a call to end so, if it did not. */
  #missingCause({ controller, dueMillis, kind }: Call, { code, sent }: RemotingError): string | undefined {
    const needs = (...kinds: (Step['kind'] | 'end')[]): string | undefined =>
      kinds.some((happened) => this.#happened.has(happened)) ? undefined : kinds.join(' or ');
    switch (code) {
      case 'ABORTED':
        return controller.signal.aborted ? undefined : 'an abort';
      case 'TIMEOUT':
        return this.#clock.monotonic() >= dueMillis ? undefined : 'its time being up';
      case 'CLOSED':
        return needs('end');
      case 'TOO_MANY_REQUESTS':
        return this.#chosen.waitForPermit ? 'a limit that is not waited for' : undefined;
      case 'CONNECT_FAILED':
        if (sent !== 'no' && this.#chosen.interceptor !== 'sends again') return 'sent: no';
        return needs('down', 'refuseDials', 'hangDials', 'end') && this.#missingUnheard();
      case 'SEND_FAILED':
        if (kind === 'tooLarge') return sent === 'no' ? undefined : 'sent: no';
        return needs('goAway', 'breakWrites', 'reset', 'down', 'end') && this.#missingTimeout();
      case 'CONNECTION_CLOSED':
        return needs('reset', 'down', 'breakWrites', 'end') && this.#missingTimeout();
      default:
        return 'any cause the model knows';
    }
  }

  /**
   * Two connections in a row over which nothing ever came count as dials that failed: the next one waits. They may have been cut off, or closed for
   * a call that got no answer in time.
   */
  #missingUnheard(): string | undefined {
    const now = this.#clock.monotonic();
    const outOfTime = this.#calls.filter(({ dueMillis }) => now >= dueMillis).length;
    return this.#cutOff + outOfTime >= 2 ? undefined : 'two connections cut off or given up';
  }

  /** A call that got no answer in time closes its connection. */
  #missingTimeout(): string | undefined {
    const now = this.#clock.monotonic();
    return this.#calls.some(({ dueMillis }) => now >= dueMillis) ? undefined : 'a call that ran out of time';
  }

  #checkTimes(): void {
    const now = this.#clock.monotonic();
    for (const call of this.#calls)
      if (call.outcomes.length === 0 && now >= call.dueMillis) this.#fault(call, `outlives its time`);
  }

  async #checkEnd(): Promise<void> {
    for (const call of this.#calls) if (call.outcomes.length === 0) this.#fault(call, 'did not end');
    this.#tally.calls += this.#calls.length;
    const { permits, pendingCalls, channels, dialling } = this.#client.describe();
    const left = {
      asyncPermits: ASYNC_PERMITS - permits.async.free,
      onewayPermits: ONEWAY_PERMITS - permits.oneway.free,
      waiting: permits.async.waiting + permits.oneway.waiting,
      pendingCalls: Object.keys(pendingCalls).length,
      channels: channels.length,
      dialling: dialling.length,
    };
    for (const [what, count] of Object.entries(left))
      if (count !== 0) this.#faults.push(`${count} ${what} are left behind`);
    await until(() => this.#clock.pendingTimers === 0);
  }

  #fault(call: Call, text: string): void {
    this.#faults.push(`${call.name} (${call.kind}) ${text}`);
  }

  #throwFaults(): void {
    if (this.#faults.length > 0) throw new Error(this.#faults.join('\n'));
  }
}
