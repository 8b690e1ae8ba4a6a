import { setMaxListeners } from 'node:events';
import type { Channel } from '../channel/channel.js';
import type { Clock, Timer } from '../clock.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import {
  type CallPhase,
  type CallTimings,
  ClosedError,
  ConnectError,
  RemotingError,
  type RemotingErrorCode,
  type RemotingErrorOptions,
  SendError,
  TimeoutError,
  TooManyRequestsError,
  textOfThrown,
} from '../errors.js';
import { MAX_TIMER_MILLIS } from './option-table.js';
import type { Permits, PermitWaiter } from './permits.js';

/** A timer that runs later than this shows that the process stood still. */
const LATE_MILLIS = 20;

/** Told once how a call ended: with an answer (a oneway call: without), or with the error that kept it from coming. */
export type InvokeCallback = (error: RemotingError | undefined, response: RemotingCommand | undefined) => void;

export interface ResponseFutureInit {
  readonly clock: Clock;
  /** For all of the call: dial, sending and answer. */
  readonly timeoutMillis: number;
  readonly signal?: AbortSignal | undefined;
  /** Whom the call is for, as its caller wrote it. */
  readonly address?: string | undefined;
  /** The request as its caller gave it; it is not changed. */
  readonly request: RemotingCommand;
  readonly isOneway?: boolean | undefined;
  /** What people call the command; default its code. */
  readonly command?: string | undefined;
  /** Whether the call waits for an address that is left alone after failed dials. */
  readonly waitForReady?: boolean | undefined;
  /** For a call that wants the connection only: told of it in place of the sending. */
  readonly onChannel?: ((channel: Channel) => void) | undefined;
  /** Whether this is one sending of a call that interceptors may send again. */
  readonly isInner?: boolean | undefined;
  /** Whether the wait for the answer does not hold the process. */
  readonly isBackground?: boolean | undefined;
  /** What is to be given back or told when the call ends, however it ends; runs before the callback. */
  readonly onSettled?: ((future: ResponseFuture, error: RemotingError | undefined) => void) | undefined;
}

/**
 * One call from its begin to its end (upstream: `ResponseFuture`, which begins at the sending). Answer, timeout, closed connection,
 * failed write and abort all end it through {@link settle}, and only the first of them does.
 */
export class ResponseFuture implements PermitWaiter {
  readonly address: string | undefined;
  readonly timeoutMillis: number;
  /** The request as its caller gave it. */
  readonly asked: RemotingCommand;
  readonly isOneway: boolean;
  /** Among the calls that have not ended; kept by whoever lists them. */
  place = -1;
  #channel: Channel | undefined;
  #request: RemotingCommand | undefined;
  #opaque: number | undefined;
  #callback: InvokeCallback | undefined;
  readonly #init: ResponseFutureInit;
  readonly #ended: (future: ResponseFuture, error: RemotingError | undefined) => void;
  #timer: Timer | undefined;
  /** Of a call with a signal. */
  #abortListener: (() => void) | undefined;
  #permits: Permits | undefined;
  #proceed: ((future: ResponseFuture) => void) | undefined;
  #phase: CallPhase = 'dial';
  /** When the phase began. */
  #since: number;
  readonly #deadline: number;
  #dialMillis = 0;
  #queueMillis = 0;
  #writeMillis = 0;
  #waitMillis = 0;

  /**
   * Begins the call: its time runs. A signal that is aborted already, and a timeout that cannot be, end it at once.
   *
   * @param ended takes the call out of the table of those that wait, and counts it; runs first when the call ends
   */
  constructor(
    init: ResponseFutureInit,
    ended: (future: ResponseFuture, error: RemotingError | undefined) => void,
    callback: InvokeCallback,
  ) {
    this.#init = init;
    this.#ended = ended;
    this.#callback = callback;
    this.address = init.address;
    this.timeoutMillis = init.timeoutMillis;
    this.asked = init.request;
    this.isOneway = init.isOneway === true;
    this.#since = init.clock.monotonic();
    this.#deadline = this.#since + init.timeoutMillis;
    const { timeoutMillis, signal } = init;
    if (!(timeoutMillis > 0 && timeoutMillis <= MAX_TIMER_MILLIS)) {
      const message = `timeoutMillis must be above 0 and at most ${MAX_TIMER_MILLIS}, not ${timeoutMillis}`;
      this.fail('INVALID_ARGUMENT', message);
    } else if (signal?.aborted === true) {
      this.#onAbort();
    } else {
      this.#timer = init.clock.setTimeout(this.#onDue, timeoutMillis, init.isBackground === true);
      if (signal !== undefined) {
        // Any number of calls may share a signal; each takes its listener back, so this is no leak to warn of.
        if (signal instanceof EventTarget) setMaxListeners(0, signal);
        this.#abortListener = () => this.#onAbort();
        signal.addEventListener('abort', this.#abortListener);
      }
    }
  }

  get isInner(): boolean {
    return this.#init.isInner === true;
  }

  get waitForReady(): boolean {
    return this.#init.waitForReady === true;
  }

  get onChannel(): ((channel: Channel) => void) | undefined {
    return this.#init.onChannel;
  }

  /** The last sending of a call that interceptors may send again; it ends with this call at the latest. */
  inner: ResponseFuture | undefined;

  /** Whether a sending of it that has ended may have been seen by a peer. */
  wasSent = false;

  /** The id of the connection whose peer answered that it goes away. */
  goneFrom: number | undefined;

  /** How much of its time is left. */
  get remainingMillis(): number {
    return Math.max(0, this.#deadline - this.#init.clock.monotonic());
  }

  /** The request was not served, and is to be sent again. */
  takenBack(): void {
    this.#enter('dial');
    this.#channel = undefined;
    this.#request = undefined;
    this.#opaque = undefined;
  }

  /** The connection that the request went over, from then on. */
  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** The request as it was sent, from then on. */
  get request(): RemotingCommand | undefined {
    return this.#request;
  }

  /** The id of the request, from its sending on. */
  get opaque(): number | undefined {
    return this.#opaque;
  }

  /** Where the call is. */
  get phase(): CallPhase {
    return this.#phase;
  }

  /** What people call the request. */
  get command(): string {
    return this.#init.command ?? `request ${this.asked.code}`;
  }

  /**
   * Takes a permit, which comes back when the call has ended, after its callback; then goes on with `proceed`, later if it has to wait.
   * Where it may not wait, the call ends.
   */
  acquire(permits: Permits, mayWait: boolean, proceed: (future: ResponseFuture) => void): void {
    if (permits.tryAcquire()) {
      this.#permits = permits;
      proceed(this);
    } else if (mayWait) {
      this.#permits = permits;
      this.#proceed = proceed;
      this.#enter('queue');
      permits.wait(this);
    } else {
      const kind = this.isOneway ? 'invokeOnewayImpl' : 'invokeAsyncImpl';
      const calls = this.isOneway ? 'oneway requests are being sent' : 'calls are in flight';
      const option = this.isOneway ? 'onewayPermits' : 'asyncPermits';
      const message = `${kind} invoke too fast: ${permits.total} ${calls} already; slow down, or raise ${option}`;
      this.fail('TOO_MANY_REQUESTS', message);
    }
  }

  acquired(): void {
    const proceed = this.#proceed;
    this.#proceed = undefined;
    this.#enter('dial');
    proceed?.(this);
  }

  /** The permit is given back by somebody else, or not before the bytes are gone. */
  takePermit(): Permits | undefined {
    const permits = this.#permits;
    this.#permits = undefined;
    return permits;
  }

  /** The request is about to be written. */
  sentOver(channel: Channel, request: RemotingCommand): void {
    this.#channel = channel;
    this.#request = request;
    this.#opaque = request.opaque;
  }

  /** From here on the peer may see the request. */
  writing(): void {
    // Time is asked for only where some has passed: a call over an open connection comes here in the turn of its begin.
    if (this.#hasWaited) this.#enter('write');
    else this.#phase = 'write';
  }

  /** The operating system has taken the request's bytes. */
  written(): void {
    if (this.#phase === 'write') this.#enter('wait');
  }

  #hasWaited = false;

  /** The call goes on in a later turn. */
  waits(): void {
    this.#hasWaited = true;
  }

  get isSettled(): boolean {
    return this.#callback === undefined;
  }

  /** Ends the call; false when it had ended before. */
  settle(error: RemotingError | undefined, response: RemotingCommand | undefined): boolean {
    const callback = this.#callback;
    if (callback === undefined) return false;
    this.#callback = undefined;
    this.#timer?.cancel();
    if (this.#abortListener !== undefined) this.#init.signal?.removeEventListener('abort', this.#abortListener);
    this.inner?.fail('ABORTED', `${this.command} has ended without waiting for this sending`);
    const permits = this.#permits;
    try {
      this.#ended(this, error);
      this.#init.onSettled?.(this, error);
    } finally {
      // Whatever fails on the way, the caller hears of the end, and the permit comes back.
      try {
        callback(error, response);
      } finally {
        if (permits !== undefined) this.#giveBack(permits);
      }
    }
    return true;
  }

  /** Ends the call with an error that says how far it came. */
  fail(code: RemotingErrorCode, message: string, cause?: unknown, sent: 'no' | 'maybe' = this.sent): boolean {
    return this.settle(this.#error(code, message, cause, sent), undefined);
  }

  /** As {@link fail}, with what a hook or the dial threw: an error of this family stays itself. */
  failWith(thrown: unknown, code: RemotingErrorCode, message: string): boolean {
    if (RemotingError.is(thrown)) return this.settle(this.#located(thrown), undefined);
    const detail = textOfThrown(thrown);
    return this.fail(code, `${message}: ${detail}`, thrown);
  }

  /** Ends the call whose connection could not be made; many calls may share the failed dial, each has an error of its own. */
  failToConnect(cause: unknown): boolean {
    if (!RemotingError.is(cause))
      return this.failWith(cause, 'CONNECT_FAILED', `connect to ${this.address ?? 'null'} failed`);
    return this.fail(cause.code, cause.message, cause.cause ?? cause);
  }

  /** Whether the peer may have seen the request. */
  get sent(): 'no' | 'maybe' {
    const phase = this.#furthest.#phase;
    return this.wasSent || phase === 'write' || phase === 'wait' ? 'maybe' : 'no';
  }

  /** Who knows how far the call came: its sending under way, if it has one. */
  get #furthest(): ResponseFuture {
    const { inner } = this;
    return inner === undefined || inner.isSettled ? this : inner;
  }

  /** How far the call came, for people: `(dial 12, queue 2, sent, no answer)`. */
  get progress(): string {
    const { timings, phase } = this.#furthest;
    const ends = { dial: 'not sent', queue: 'not sent', write: 'not all sent', wait: 'sent, no answer' };
    return `(dial ${Math.round(timings.dial)}, queue ${Math.round(timings.queue)}, ${ends[phase]})`;
  }

  get timings(): CallTimings {
    const timings = {
      dial: this.#dialMillis,
      queue: this.#queueMillis,
      write: this.#writeMillis,
      wait: this.#waitMillis,
    };
    timings[this.#phase] += this.#init.clock.monotonic() - this.#since;
    return timings;
  }

  #giveBack(permits: Permits): void {
    this.#permits = undefined;
    if (this.#proceed === undefined) permits.release();
    else permits.forget(this);
    this.#proceed = undefined;
  }

  #enter(phase: CallPhase): void {
    const now = this.#init.clock.monotonic();
    const millis = now - this.#since;
    if (this.#phase === 'dial') this.#dialMillis += millis;
    else if (this.#phase === 'queue') this.#queueMillis += millis;
    else if (this.#phase === 'write') this.#writeMillis += millis;
    else this.#waitMillis += millis;
    this.#phase = phase;
    this.#since = now;
    this.#hasWaited = true;
  }

  #onAbort(): void {
    const message = `${this.#to()} was aborted by its signal ${this.progress}`;
    this.fail('ABORTED', message, this.#init.signal?.reason);
  }

  readonly #onDue = (): void => {
    const { clock, isBackground } = this.#init;
    // Timers run before sockets are read. When this process stood still the answer may be there, so the sockets get their turn first.
    if (clock.monotonic() - this.#deadline > LATE_MILLIS)
      this.#timer = clock.setTimeout(() => this.#onTimeout(), 1, isBackground === true);
    else this.#onTimeout();
  };

  #onTimeout(): void {
    const { inner } = this;
    if (inner === undefined || inner.isSettled) {
      this.settle(this.#timeoutError(this.timeoutMillis), undefined);
      return;
    }
    // The sending under way knows how far the call came.
    const error = inner.#timeoutError(this.timeoutMillis);
    inner.settle(error, undefined);
    this.settle(this.#located(error), undefined);
  }

  #timeoutError(timeoutMillis: number): RemotingError {
    // What follows the colon is upstream's text, which people search for.
    const message = `${this.#to()} timed out after ${timeoutMillis} ms ${this.progress}: ${this.#javaTimeout()}`;
    return this.#error('TIMEOUT', message, undefined, this.sent);
  }

  #javaTimeout(): string {
    const { channel, timeoutMillis } = this;
    const permits = this.#permits;
    if (this.#proceed !== undefined && permits !== undefined) {
      const kind = this.isOneway ? 'invokeOnewayImpl' : 'invokeAsyncImpl';
      const value = this.isOneway ? 'semaphoreOnewayValue' : 'semaphoreAsyncValue';
      const { waiting, free } = permits;
      return `${kind} tryAcquire semaphore timeout, ${timeoutMillis}ms, waiting thread nums: ${waiting} ${value}: ${free}`;
    }
    if (channel === undefined) return `connect to ${this.address ?? 'null'} failed`;
    return `wait response on the channel <${channel.remoteAddress}> timeout, ${timeoutMillis}(ms)`;
  }

  #to(): string {
    return `${this.command} to ${this.#furthest.#channel?.remoteAddress ?? this.address ?? 'a name server'}`;
  }

  #error(code: RemotingErrorCode, message: string, cause: unknown, sent: 'no' | 'maybe'): RemotingError {
    const at = this.#furthest;
    const options: RemotingErrorOptions = {
      address: at.#channel?.remoteAddress ?? this.address,
      opaque: at.#opaque,
      cause,
      sent,
      phase: at.#phase,
      timings: at.timings,
    };
    switch (code) {
      case 'CONNECT_FAILED':
        return new ConnectError(message, options);
      case 'SEND_FAILED':
        return new SendError(message, options);
      case 'TIMEOUT':
        return new TimeoutError(message, options);
      case 'TOO_MANY_REQUESTS':
        return new TooManyRequestsError(message, options);
      case 'CONNECTION_CLOSED':
      case 'CLOSED':
        return new ClosedError(code, message, options);
      default:
        return new RemotingError(code, message, options);
    }
  }

  /** Every failure of a call says how far it came: those that hooks throw too, and that of a last sending for those before it. */
  #located(error: RemotingError): RemotingError {
    const { sent, phase, timings } = this;
    if (Object.isFrozen(error)) return error;
    if (error.sent === undefined) return Object.assign(error, { sent, phase, timings });
    return error.sent === 'no' && this.wasSent ? Object.assign(error, { sent }) : error;
  }
}
