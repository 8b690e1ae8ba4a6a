import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { RemotingCommand } from './command/remoting-command.js';
import { createExtFields } from './command/remoting-command.js';
import type { RemotingError, RemotingErrorCode } from './errors.js';

/**
 * Names of the tracing channels, for `tracingChannel(name)` of `node:diagnostics_channel`. Each has five events, `start`, `end`,
 * `asyncStart`, `asyncEnd` and `error`, that share one object; its meaning is Node's: `end` is the end of the synchronous part, `asyncStart`
 * the outcome, `asyncEnd` comes after who waited was told, `error` before `asyncStart` where there is one.
 *
 * They are published by hand rather than by `tracePromise`: most calls make no promise inside, and without a subscriber a call pays for one
 * look at `hasSubscribers` and allocates nothing.
 */
export const TracingChannelName = {
  /** Calls that this process makes; {@link RequestTrace}. */
  REQUEST: 'rmqns.remoting:request',
  /** Requests that this process answers; {@link HandleTrace}. */
  HANDLE: 'rmqns.remoting:handle',
  /** Dials; {@link ConnectTrace}. */
  CONNECT: 'rmqns.remoting:connect',
} as const;

export const requestTracing: TracingChannel<unknown, RequestTrace> = tracingChannel(TracingChannelName.REQUEST);
export const handleTracing: TracingChannel<unknown, HandleTrace> = tracingChannel(TracingChannelName.HANDLE);
export const connectTracing: TracingChannel<unknown, ConnectTrace> = tracingChannel(TracingChannelName.CONNECT);

/**
 * A call, from its begin to its end. Its fields may be logged: they hold no values of ext fields, no remark and no body. What is
 * `undefined` is not known yet, or does not exist.
 */
export class RequestTrace {
  readonly code: number;
  /** The name of the command's definition; `undefined` for a call in plain commands. */
  readonly name: string | undefined;
  readonly isOneway: boolean;
  readonly timeoutMillis: number;
  /** As the caller wrote it; from the outcome on that of the connection, where there was one. */
  address: string | undefined;
  opaque: number | undefined = undefined;
  /** Length of the request's frame, once it was sent. */
  requestBytes: number | undefined = undefined;
  /** Length of the answer's frame. */
  responseBytes: number | undefined = undefined;
  responseCode: number | undefined = undefined;
  /** From the outcome on: an answer came, a oneway request was handed over, or the code of the error. */
  outcome: 'answered' | 'sent' | RemotingErrorCode | undefined = undefined;
  error: RemotingError | undefined = undefined;
  // Private, so that no log of this object shows a header or body.
  #request: RemotingCommand;
  #copied = false;

  constructor(request: RemotingCommand, init: Pick<RequestTrace, 'name' | 'isOneway' | 'timeoutMillis' | 'address'>) {
    this.#request = request;
    this.code = request.code;
    this.name = init.name;
    this.isOneway = init.isOneway;
    this.timeoutMillis = init.timeoutMillis;
    this.address = init.address;
  }

  /** Adds an ext field to the request, such as `traceparent`. Only in `start`: later the request is on its way. */
  setExtField(name: string, value: string): void {
    // A copy: the same object may be on its way to several servers.
    if (!this.#copied) this.#request = this.#request.copy();
    this.#copied = true;
    this.#request.extFields ??= createExtFields();
    this.#request.extFields[name] = value;
  }

  /** The request with the ext fields that subscribers added. */
  static requestOf(trace: RequestTrace): RemotingCommand {
    return trace.#request;
  }
}

/** How the handling of a request ended. */
export type HandleOutcome =
  /** The answer was handed to the operating system. */
  | 'answered'
  /** Nobody wanted one. */
  | 'oneway'
  /** The processor gave none; it may send one by itself. */
  | 'unanswered'
  /** The connection ended before there was one. */
  | 'cancelled'
  /** It could not be written. */
  | 'writeFailed';

/** A request that came in, from its decoding to the end of its answer's writing. Its fields may be logged, as those of a {@link RequestTrace}. */
export class HandleTrace {
  readonly code: number;
  /** The name of the command's definition; `undefined` for a processor of plain commands. */
  readonly name: string | undefined;
  readonly opaque: number;
  readonly isOneway: boolean;
  /** Who asks. */
  readonly address: string;
  /** Where it was asked. */
  readonly localAddress: string;
  /** Length of the request's frame; `undefined` for one that was decoded before anybody subscribed. */
  readonly requestBytes: number | undefined;
  responseBytes: number | undefined = undefined;
  responseCode: number | undefined = undefined;
  outcome: HandleOutcome | undefined = undefined;
  /** What the processor or a hook threw, or why the answer was not written. */
  error: unknown = undefined;
  readonly #request: RemotingCommand;

  constructor(request: RemotingCommand, init: Pick<HandleTrace, 'name' | 'address' | 'localAddress' | 'requestBytes'>) {
    this.#request = request;
    this.code = request.code;
    this.opaque = request.opaque;
    this.isOneway = request.isOneway;
    this.name = init.name;
    this.address = init.address;
    this.localAddress = init.localAddress;
    this.requestBytes = init.requestBytes;
  }

  /** An ext field of the request, such as `traceparent`. */
  extField(name: string): string | undefined {
    const { extFields } = this.#request;
    return extFields !== undefined && Object.hasOwn(extFields, name) ? extFields[name] : undefined;
  }
}

/** A dial, from its begin until the connection is set up or given up. */
export interface ConnectTrace {
  /** As the caller wrote it. */
  readonly address: string;
  /** Of this side, once the connection is set up. */
  localAddress: string | undefined;
  outcome: 'connected' | RemotingErrorCode | undefined;
  error: RemotingError | undefined;
}
