import type { Long } from '@rmqns/remoting/json';

/** Where the logical queues of a static topic lie on one broker (upstream: `TopicQueueMappingInfo`, 5.x). */
export interface TopicQueueMappingInfo {
  readonly topic: string;
  /** Default `__global__`. */
  readonly scope: string;
  readonly totalQueues: number;
  /** The broker's name. */
  readonly bname: string;
  readonly epoch: Long;
  readonly dirty: boolean;
  /** Logical queue id to physical queue id. */
  readonly currIdMap: ReadonlyMap<number, number>;
}
