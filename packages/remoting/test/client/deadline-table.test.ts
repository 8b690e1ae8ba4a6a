import { expect } from 'chai';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { type CallPhase, type CallTimings, RemotingError } from '../../src/errors.js';
import type { RequestContext } from '../../src/rpc/request-processor.js';
import { type ChaosSocket, chaos, createPair, ManualClock, type TestPair } from '../../src/testing.js';

const DEADLINE_MILLIS = 1_000;
const request = RemotingCommand.request(1);
const none: CallTimings = { dial: 0, queue: 0, write: 0, wait: 0 };

const turns = async (count = 8): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A client whose calls can be held in each of their phases. */
class Held implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly contexts: RequestContext[] = [];
  readonly client: RemotingClient;
  readonly #pair: TestPair;
  #line: ChaosSocket | undefined;
  #finishDial: (() => void) | undefined;
  #isDialHeld = false;
  #isAnswerHeld = false;
  readonly #answers: (() => void)[] = [];

  constructor() {
    this.#pair = createPair({ clock: this.clock, server: { requestDeadlines: true } });
    this.client = new RemotingClient({
      clock: this.clock,
      connectTimeoutMillis: 60_000,
      asyncPermits: 1,
      limitSyncCalls: true,
      waitForPermit: true,
      closeSocketIfTimeout: false,
      sendDeadline: true,
      createConnection: () => this.#dial(),
    });
    this.#pair.server.registerProcessor(1, {
      processRequest: (ctx) => {
        this.contexts.push(ctx);
        if (!this.#isAnswerHeld) return RemotingCommand.response(0);
        return new Promise((resolve) => this.#answers.push(() => resolve(RemotingCommand.response(0))));
      },
    });
  }

  call(timeoutMillis = DEADLINE_MILLIS): Promise<RemotingCommand | RemotingError> {
    return this.client
      .invokeSync('memory:1', request, timeoutMillis)
      .catch((error: unknown) => RemotingError.from(error));
  }

  /** What holds a call in a phase, to be let go; the phases before it are over by then. */
  async hold(phase: CallPhase): Promise<() => Promise<void>> {
    if (phase === 'dial') {
      this.#isDialHeld = true;
      return async () => this.#finishDial?.();
    }
    await this.client.connect('memory:1');
    if (phase === 'queue') {
      this.#isAnswerHeld = true;
      void this.call(60_000);
      await turns();
      this.#isAnswerHeld = false;
    } else if (phase === 'write') this.#line?.freeze();
    else this.holdAnswers();
    return async () => {
      if (phase === 'write') this.#line?.thaw();
      for (const answer of this.#answers.splice(0)) answer();
      await turns();
    };
  }

  holdAnswers(): void {
    this.#isAnswerHeld = true;
  }

  #dial(): Promise<ChannelSocket> {
    const socket = chaos(this.#pair.connect(), { clock: this.clock });
    this.#line = socket;
    if (!this.#isDialHeld) return Promise.resolve(socket);
    return new Promise((resolve) => {
      this.#finishDial = () => resolve(socket);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.destroy();
    await this.#pair.destroy();
    await turns();
    expect(this.clock.pendingTimers).to.equal(0);
  }
}

describe('One deadline for all of a call', () => {
  const sent: Readonly<Record<CallPhase, 'no' | 'maybe'>> = { dial: 'no', queue: 'no', write: 'maybe', wait: 'maybe' };
  for (const phase of ['dial', 'queue', 'write', 'wait'] as const) {
    it(`is kept by a call that waits in ${phase} until just before it`, async () => {
      await using held = new Held();
      const letGo = await held.hold(phase);
      const call = held.call();
      await turns();
      held.clock.advance(DEADLINE_MILLIS - 1);
      await letGo();
      await turns();
      const answer = await call;
      expect(answer).to.be.instanceOf(RemotingCommand);
    });

    for (const [when, passedMillis] of [
      ['at', DEADLINE_MILLIS],
      ['after', DEADLINE_MILLIS + 500],
    ] as const) {
      it(`ends a call that waits in ${phase} ${when} it, which says so and where its time went`, async () => {
        await using held = new Held();
        const letGo = await held.hold(phase);
        const call = held.call();
        await turns();
        const { contexts } = held;
        const begun = contexts.length;
        held.clock.advance(passedMillis);
        const error = await call;
        const timings = { ...none, [phase]: DEADLINE_MILLIS };
        expect(error).to.deep.include({ code: 'TIMEOUT', phase, timings, sent: sent[phase], address: 'memory:1' });
        await letGo();
        await turns();
        // Nothing comes of what was held; and what had not been sent is not carried out.
        if (sent[phase] === 'no') expect(contexts.length).to.equal(begun);
        expect(held.client.describe().permits.async).to.deep.include({ free: 1, waiting: 0 });
      });
    }
  }

  it('is spent by all phases together, and its rest is seen by the handler, whose signal ends with it', async () => {
    await using held = new Held();
    const dialled = await held.hold('dial');
    held.holdAnswers();
    const call = held.call();
    await turns();
    held.clock.advance(400);
    await dialled();
    await turns();
    const [ctx] = held.contexts;
    expect([ctx?.remainingMillis(), ctx?.signal.aborted]).to.deep.equal([600, false]);
    held.clock.advance(599);
    expect([ctx?.remainingMillis(), ctx?.signal.aborted]).to.deep.equal([1, false]);
    held.clock.advance(1);
    expect([ctx?.remainingMillis(), ctx?.signal.aborted]).to.deep.equal([0, true]);
    expect(await call).to.deep.include({ phase: 'wait', timings: { ...none, dial: 400, wait: 600 } });
  });
});
