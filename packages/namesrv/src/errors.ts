/**
 * The errors of this package. Match on {@link NamesrvError.code}: it is stable, the message is for people.
 */

/** Every code, with what it means. */
export const NamesrvErrorCode = {
  /** Options that cannot be; see `NamesrvOptionsError`. */
  OPTIONS_INVALID: 'OPTIONS_INVALID',
  /** The name server was started before; each is started once. */
  STARTED_ALREADY: 'STARTED_ALREADY',
  /** The name server was closed, before its start or while it started. */
  CLOSED: 'CLOSED',
  /** The KV configuration file is there but is no KV configuration, or cannot be read. */
  KV_CONFIG_UNREADABLE: 'KV_CONFIG_UNREADABLE',
  /** A change of the KV configuration could not be brought to disk, and was not made. */
  KV_CONFIG_NOT_WRITABLE: 'KV_CONFIG_NOT_WRITABLE',
  /** TLS is enforced, and its certificate and key cannot be used. */
  TLS_UNUSABLE: 'TLS_UNUSABLE',
  /** Changed options could not be brought to their file; they hold until the next start. */
  CONFIG_NOT_WRITABLE: 'CONFIG_NOT_WRITABLE',
} as const;

export type NamesrvErrorCode = (typeof NamesrvErrorCode)[keyof typeof NamesrvErrorCode];

export interface NamesrvErrorOptions {
  /** The file it is about. */
  readonly path?: string | undefined;
  /** What lies beneath. */
  readonly cause?: unknown;
}

const brand = Symbol.for('@rmqns/namesrv/NamesrvError');

export class NamesrvError extends Error {
  /** Stable; see {@link NamesrvErrorCode}. */
  readonly code: NamesrvErrorCode;
  readonly path: string | undefined;

  constructor(code: NamesrvErrorCode, message: string, options: NamesrvErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options.path;
  }

  override get name(): string {
    return 'NamesrvError';
  }

  get [brand](): true {
    return true;
  }

  /** True also for errors made by another installed copy of this package. */
  static is(value: unknown): value is NamesrvError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
