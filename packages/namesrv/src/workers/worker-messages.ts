import type { ConnectionSettings } from '../connection-settings.js';

/** How a worker serves its connections; as the owner serves its own. */
export interface WorkerSettings extends ConnectionSettings {
  /** Whether debug lines are wanted. */
  readonly isDebug: boolean;
}

/** From the owner to a worker. A message `connection` brings a socket. */
export type ToWorker =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'connection'; readonly id: number }
  | { readonly type: 'ping' }
  | { readonly type: 'stop'; readonly graceMillis: number; readonly goAwayMillis: number };

/** The worker serves a connection no more; it stands, and goes on with these bytes. */
export interface ConnectionTaken {
  readonly type: 'taken';
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly remoteAddress: string;
  readonly attributes: readonly (readonly [name: string, value: unknown])[];
}

/** A line for the owner's log. */
export interface WorkerLogLine {
  readonly type: 'log';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** From a worker to the owner. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** The answer to a `ping`. */
  | { readonly type: 'pong' }
  | { readonly type: 'closed'; readonly id: number }
  | ConnectionTaken
  | WorkerLogLine;
