/**
 * The one family of errors that this package throws.
 *
 * Match on {@link RemotingError.code}: it is stable, the message is for people. A *local* failure (no answer came) is any code but
 * `COMMAND_FAILED`; a *remote* failure (an answer came and says no) is a {@link CommandError}.
 */

import type { RemotingCommand } from './command/remoting-command.js';

/** Every code, with what it means. */
export const RemotingErrorCode = {
  /** No connection to the address could be made. */
  CONNECT_FAILED: 'CONNECT_FAILED',
  /** The request could not be handed to the connection. */
  SEND_FAILED: 'SEND_FAILED',
  /** The connection closed before the answer came. */
  CONNECTION_CLOSED: 'CONNECTION_CLOSED',
  /** No answer came within the caller's timeout. */
  TIMEOUT: 'TIMEOUT',
  /** The limit of calls in flight is reached. */
  TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
  /** The caller's AbortSignal ended the call. */
  ABORTED: 'ABORTED',
  /** The other side answered with a code other than SUCCESS. */
  COMMAND_FAILED: 'COMMAND_FAILED',
  /** Bytes that are no frame, header or typed header. */
  DECODE_FAILED: 'DECODE_FAILED',
  /** A frame that is larger than the limit, announced by a peer or about to be sent. */
  FRAME_TOO_LARGE: 'FRAME_TOO_LARGE',
  /** A command that cannot be written, for instance because a header field has the wrong type. */
  ENCODE_FAILED: 'ENCODE_FAILED',
  /** The client or server was closed. */
  CLOSED: 'CLOSED',
  /** A server could not listen on its address. */
  BIND_FAILED: 'BIND_FAILED',
  /** An argument or option that cannot be right. */
  INVALID_ARGUMENT: 'INVALID_ARGUMENT',
  /** A pipeline handler, an event listener or a hook threw. */
  HANDLER_FAILED: 'HANDLER_FAILED',
} as const;

export type RemotingErrorCode = (typeof RemotingErrorCode)[keyof typeof RemotingErrorCode];

/** Where a call was when it failed: without a connection, without a permit, before its bytes were taken, or before its answer. */
export type CallPhase = 'dial' | 'queue' | 'write' | 'wait';

/** How long a call was in each phase, in milliseconds. */
export type CallTimings = Readonly<Record<CallPhase, number>>;

export interface RemotingErrorOptions {
  /** The address of the other side, `host:port`. */
  readonly address?: string | undefined;
  /** The opaque of the request that failed. */
  readonly opaque?: number | undefined;
  /** What lies beneath. */
  readonly cause?: unknown;
  /** See {@link RemotingError.sent}. */
  readonly sent?: 'no' | 'maybe' | undefined;
  readonly phase?: CallPhase | undefined;
  readonly timings?: CallTimings | undefined;
}

export interface CommandErrorOptions extends RemotingErrorOptions {
  /** The answer that says no. */
  readonly response?: RemotingCommand | undefined;
  /** The name of its code, where the caller knows it; those of the framework's own codes are known. */
  readonly responseName?: string | undefined;
}

/**
 * Makes `instanceof` see the errors of another installed copy of this package too. A subclass that others make keeps the usual meaning.
 */
function brand(type: { readonly prototype: RemotingError }, name: string): void {
  const symbol = Symbol.for(`@rmqns/remoting/${name}`);
  Object.defineProperty(type.prototype, symbol, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this === type) return typeof value === 'object' && value !== null && symbol in value;
      return Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}

export class RemotingError extends Error {
  /** Stable; see {@link RemotingErrorCode}. */
  readonly code: RemotingErrorCode;
  readonly address: string | undefined;
  readonly opaque: number | undefined;
  /**
   * Set on every local failure of a call: `no` when the peer has certainly seen nothing of the request, so that it may be sent again;
   * `maybe` when it may have been carried out.
   */
  readonly sent: 'no' | 'maybe' | undefined;
  /** Where the call was when it failed. */
  readonly phase: CallPhase | undefined;
  /** How long the call was in each phase. */
  readonly timings: CallTimings | undefined;

  static {
    brand(RemotingError, 'RemotingError');
  }

  constructor(code: RemotingErrorCode, message: string, options: RemotingErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.address = options.address;
    this.opaque = options.opaque;
    this.sent = options.sent;
    this.phase = options.phase;
    this.timings = options.timings;
  }

  override get name(): string {
    return 'RemotingError';
  }

  /** True also for errors made by another installed copy of this package. */
  static is(value: unknown): value is RemotingError {
    return value instanceof RemotingError;
  }

  /**
   * Gives anything caught the shape of this family: a RemotingError stays itself, all else becomes the `cause` of a new one.
   *
   * @param code default `HANDLER_FAILED`: what others throw comes out of code of theirs that ran here
   * @param message what failed, to stand before what `value` says; default nothing
   */
  static from(
    value: unknown,
    code: RemotingErrorCode = 'HANDLER_FAILED',
    message?: string,
    options: RemotingErrorOptions = {},
  ): RemotingError {
    if (RemotingError.is(value)) return value;
    const detail = textOfThrown(value);
    const text = message === undefined ? detail : `${message}: ${detail}`;
    return new RemotingError(code, text, { ...options, cause: value });
  }
}

/** What anything thrown says, for people. Never throws itself: not for an object without a text, nor for one whose text fails. */
export function textOfThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.message}` : String(thrown);
  } catch {
    return 'something that has no text was thrown';
  }
}

/** The other side answered, with a code other than SUCCESS. Thrown by a processor, it becomes exactly that answer. */
export class CommandError extends RemotingError {
  /** The answer's code, for instance 17 (TOPIC_NOT_EXIST). */
  readonly responseCode: number;
  /** The name of that code, for instance `SYSTEM_BUSY`; `undefined` where nobody named it. */
  readonly responseName: string | undefined;
  readonly remark: string | undefined;
  // Private, so that no log of the error shows its header or body.
  readonly #response: RemotingCommand | undefined;

  static {
    brand(CommandError, 'CommandError');
  }

  /**
   * @param responseCode any code but SUCCESS
   * @throws RemotingError `INVALID_ARGUMENT` for SUCCESS, which would say yes to the caller
   */
  constructor(responseCode: number, remark?: string, options: CommandErrorOptions = {}) {
    if (responseCode === 0)
      throw new RemotingError('INVALID_ARGUMENT', 'a CommandError needs a code other than SUCCESS (0)');
    const from = options.address === undefined ? '' : ` from ${options.address}`;
    super('COMMAND_FAILED', `CODE: ${responseCode}  DESC: ${remark ?? ''}${from}`, options);
    this.responseCode = responseCode;
    this.responseName = options.responseName ?? systemCodeName(responseCode);
    this.remark = remark;
    this.#response = options.response;
  }

  /** The whole answer, where one came: it may have ext fields and a body. */
  get response(): RemotingCommand | undefined {
    return this.#response;
  }

  override get name(): string {
    return 'CommandError';
  }
}

/** The names of the codes that this layer itself answers with (reference: remoting 2.10). */
const systemCodeNames: Readonly<Record<number, string>> = {
  0: 'SUCCESS',
  1: 'SYSTEM_ERROR',
  2: 'SYSTEM_BUSY',
  3: 'REQUEST_CODE_NOT_SUPPORTED',
  4: 'TRANSACTION_FAILED',
  1500: 'GO_AWAY',
};

function systemCodeName(code: number): string | undefined {
  return Object.hasOwn(systemCodeNames, code) ? systemCodeNames[code] : undefined;
}

/** No connection could be made; nothing was sent (upstream: `RemotingConnectException`). */
export class ConnectError extends RemotingError {
  static {
    brand(ConnectError, 'ConnectError');
  }

  constructor(message: string, options: RemotingErrorOptions = {}) {
    super('CONNECT_FAILED', message, { sent: 'no', ...options });
  }

  override get name(): string {
    return 'ConnectError';
  }
}

/** The request could not be handed to the connection (upstream: `RemotingSendRequestException`). */
export class SendError extends RemotingError {
  static {
    brand(SendError, 'SendError');
  }

  constructor(message: string, options: RemotingErrorOptions = {}) {
    super('SEND_FAILED', message, options);
  }

  override get name(): string {
    return 'SendError';
  }
}

/** The time of the call was up (upstream: `RemotingTimeoutException`). */
export class TimeoutError extends RemotingError {
  static {
    brand(TimeoutError, 'TimeoutError');
  }

  constructor(message: string, options: RemotingErrorOptions = {}) {
    super('TIMEOUT', message, options);
  }

  override get name(): string {
    return 'TimeoutError';
  }
}

/** No permit was left for the call; nothing was sent (upstream: `RemotingTooMuchRequestException`). */
export class TooManyRequestsError extends RemotingError {
  static {
    brand(TooManyRequestsError, 'TooManyRequestsError');
  }

  constructor(message: string, options: RemotingErrorOptions = {}) {
    super('TOO_MANY_REQUESTS', message, { sent: 'no', ...options });
  }

  override get name(): string {
    return 'TooManyRequestsError';
  }
}

/** What was needed is closed: the connection before the answer came (`CONNECTION_CLOSED`), or the client or server itself (`CLOSED`). */
export class ClosedError extends RemotingError {
  static {
    brand(ClosedError, 'ClosedError');
  }

  constructor(code: 'CONNECTION_CLOSED' | 'CLOSED', message: string, options: RemotingErrorOptions = {}) {
    super(code, message, options);
  }

  override get name(): string {
    return 'ClosedError';
  }
}

/** What can be wrong with bytes that came in; they are counted by it. */
export const DecodeErrorKind = {
  /** A frame above the limit was announced: see {@link FrameTooLargeError}. */
  FRAME_TOO_LARGE: 'frameTooLarge',
  /** A length or type that no frame can have. */
  CORRUPT_FRAME: 'corruptFrame',
  /** A header above the limit. */
  HEADER_TOO_LARGE: 'headerTooLarge',
  /** A header that is not what its type says. */
  BAD_HEADER: 'badHeader',
  /** A frame that was not whole in time. */
  SLOW_FRAME: 'slowFrame',
  /** Frames that were not whole when all connections together held too many bytes of such. */
  OVER_BUDGET: 'overBudget',
  /** The connection ended amid a frame. */
  TRUNCATED_FRAME: 'truncatedFrame',
} as const;

export type DecodeErrorKind = (typeof DecodeErrorKind)[keyof typeof DecodeErrorKind];

export interface DecodeErrorOptions extends RemotingErrorOptions {
  /** Default `badHeader`. */
  readonly kind?: DecodeErrorKind | undefined;
}

/** Bytes that do not decode: the connection they came on is closed, nothing else is touched. */
export class DecodeError extends RemotingError {
  readonly kind: DecodeErrorKind;

  static {
    brand(DecodeError, 'DecodeError');
  }

  constructor(message: string, options: DecodeErrorOptions = {}) {
    super('DECODE_FAILED', message, options);
    this.kind = options.kind ?? DecodeErrorKind.BAD_HEADER;
  }

  override get name(): string {
    return 'DecodeError';
  }
}

/** A frame whose announced or actual length is above the limit; raised before anything of its size is allocated. */
export class FrameTooLargeError extends RemotingError {
  readonly frameBytes: number;
  readonly maxFrameBytes: number;
  /** What had come of it when it was refused, without its four length bytes and 4 KiB at most: often the header, sometimes nothing. */
  readonly opening: Buffer;

  static {
    brand(FrameTooLargeError, 'FrameTooLargeError');
  }

  constructor(
    frameBytes: number,
    maxFrameBytes: number,
    options: RemotingErrorOptions = {},
    opening: Buffer = Buffer.alloc(0),
  ) {
    const peer = options.address === undefined ? '' : ` with ${options.address}`;
    super(
      'FRAME_TOO_LARGE',
      `a frame of ${frameBytes} bytes${peer} exceeds the limit of ${maxFrameBytes} bytes; raise maxFrameBytes at both ends if such frames are meant`,
      options,
    );
    this.frameBytes = frameBytes;
    this.maxFrameBytes = maxFrameBytes;
    this.opening = opening;
    // It says much to who reads it and nothing in a log.
    Object.defineProperty(this, 'opening', { enumerable: false });
  }

  override get name(): string {
    return 'FrameTooLargeError';
  }
}
