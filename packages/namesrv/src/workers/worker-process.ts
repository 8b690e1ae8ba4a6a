import type { Socket } from 'node:net';
import type { ChannelSocket } from '@rmqns/remoting';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** What the owner sees of a process that serves lookups. */
export interface WorkerProcess {
  /** `undefined` where it could not be started, which `onExit` says. */
  readonly pid: number | undefined;
  readonly lane: ChannelSocket;
  /** A socket that goes along stays open here too: the connection ends when both processes have closed theirs. `sent` hears of a failure. */
  send(message: ToWorker, socket?: Socket, sent?: (error: Error | null) => void): void;
  /** Ends it at once. */
  kill(): void;
}

export interface WorkerListener {
  readonly onMessage: (message: FromWorker) => void;
  /** Called once, when it has ended or could not be started; `how` follows its name in a sentence. */
  readonly onExit: (how: string) => void;
}

export type SpawnWorker = (listener: WorkerListener) => WorkerProcess;
