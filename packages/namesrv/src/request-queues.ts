import { type Clock, type Logger, WorkQueue } from '@rmqns/remoting';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';

/** How long the requests of one queue may go on while those of the other wait; both together are far below what anybody notices. */
const TURN_MILLIS = 10;

export interface RequestQueues {
  /** Of route lookups (105). */
  readonly client: WorkQueue;
  /** Of everything else. */
  readonly default: WorkQueue;
}

/**
 * The two queues in which requests wait when more come than can be answered (upstream 5.x: `clientRequestExecutor`, `defaultExecutor`;
 * reference: nameserver 6.2). One thread serves both, each for some milliseconds in turn, so that brokers are never held up by clients, nor
 * clients by brokers. What waits for a disk takes no place from others, so the number of threads that Java has there means nothing here.
 */
export function createRequestQueues(options: ResolvedNamesrvOptions, clock: Clock, logger: Logger): RequestQueues {
  const queue = (pool: string, what: string, queueCapacity: number): WorkQueue =>
    new WorkQueue({
      concurrency: 0x7fffffff,
      queueCapacity,
      turnMillis: TURN_MILLIS,
      clock,
      onLagging: ({ size, oldestMillis, refused }, isLagging) => {
        const fields = { pool, size, oldestMillis: Math.round(oldestMillis), refused };
        if (isLagging)
          logger.warn(fields, `${what} wait for ${fields.oldestMillis} ms, ${size} of ${queueCapacity} that may`);
        else logger.info(fields, `${what} are answered in time again`);
      },
    });
  return {
    client: queue('client', 'route lookups', options.clientRequestThreadPoolQueueCapacity),
    default: queue('default', 'requests of brokers and tools', options.defaultThreadPoolQueueCapacity),
  };
}
