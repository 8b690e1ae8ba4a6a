import type { Channel } from '../channel/channel.js';
import { PACKAGE_VERSION } from '../version.js';
import type { Permits } from './permits.js';
import type { RemotingCore } from './remoting-core.js';
import type { RemotingCounters } from './remoting-counters.js';
import type { WorkQueue } from './work-queue.js';

/** A work queue. Codes that share one show the same numbers. */
export interface QueueDescription {
  readonly concurrency: number;
  readonly queueCapacity: number;
  /** Requests that are worked on. */
  readonly running: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** How long the one that waits longest has waited. */
  readonly oldestMillis: number;
  readonly refused: number;
  readonly expired: number;
}

/** A request code with a processor of its own. */
export interface CommandDescription {
  readonly code: number;
  /** `null` where the processor was registered by the code alone. */
  readonly name: string | null;
  /** `null`: every request is worked on at once. */
  readonly queue: QueueDescription | null;
}

/** A limit of calls in flight. */
export interface PermitsDescription {
  readonly total: number;
  readonly free: number;
  /** Calls that wait for one. */
  readonly waiting: number;
}

/** A connection. */
export interface ChannelDescription {
  readonly id: number;
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly isWritable: boolean;
  /** False while the peer is slowed down: it does not take its answers, or has too many requests under way. */
  readonly isReading: boolean;
  /** Calls that wait for answers over it. */
  readonly pendingCalls: number;
  /** Bytes that the operating system has not taken yet. */
  readonly pendingBytes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** What a client and a server both tell of themselves. All of it is plain data that can be written as JSON. */
export interface CoreDescription {
  /** Of the package. */
  readonly version: string;
  /** The codes that it answers, ascending. */
  readonly commands: readonly CommandDescription[];
  /** Whether other codes are answered by a default processor. */
  readonly hasDefaultProcessor: boolean;
  /** Requests that wait or whose processors have not ended. */
  readonly requestsInFlight: number;
  /** Calls sent that wait for an answer. */
  readonly callsInFlight: number;
  readonly permits: { readonly async: PermitsDescription; readonly oneway: PermitsDescription };
  readonly counters: RemotingCounters;
}

export function describeCore(core: RemotingCore): CoreDescription {
  const { processorTable, requestsInFlight } = core.requests;
  const { responseTable, asyncPermits, onewayPermits } = core.calls;
  return {
    version: PACKAGE_VERSION,
    commands: processorTable.codes().map((code) => {
      const entry = processorTable.find(code);
      return { code, name: entry?.name ?? null, queue: describeQueue(entry?.queue) };
    }),
    hasDefaultProcessor: processorTable.hasDefault,
    requestsInFlight,
    callsInFlight: responseTable.size,
    permits: { async: describePermits(asyncPermits), oneway: describePermits(onewayPermits) },
    counters: core.counters,
  };
}

export function describeChannel(channel: Channel, core: RemotingCore): ChannelDescription {
  const { id, remoteAddress, localAddress, isWritable, isReading } = channel;
  const { pendingBytes, bytesRead, bytesWritten } = channel;
  const pendingCalls = core.calls.responseTable.waitingOn(channel);
  const bytes = { pendingBytes, bytesRead, bytesWritten };
  return { id, remoteAddress, localAddress, isWritable, isReading, pendingCalls, ...bytes };
}

function describePermits({ total, free, waiting }: Permits): PermitsDescription {
  return { total, free, waiting };
}

function describeQueue(queue: WorkQueue | undefined): QueueDescription | null {
  if (queue === undefined) return null;
  const { concurrency, queueCapacity, running, size: waiting, oldestMillis, refused, expired } = queue;
  return { concurrency, queueCapacity, running, waiting, oldestMillis: Math.round(oldestMillis), refused, expired };
}
