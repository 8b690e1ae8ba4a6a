import type { Channel, Clock } from '@rmqns/remoting';
import type { ConsumerGroups } from './consumer-groups.js';
import type { ConsumerOffsets } from './consumer-offsets.js';
import type { HeldPulls } from './held-pulls.js';
import type { InetHost } from './inet-host.js';
import type { MessageStore } from './message-store.js';
import type { QueueLocks } from './queue-locks.js';

/** All that a node knows; the handlers of requests share it. */
export interface NodeState {
  readonly brokerName: string;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly store: MessageStore;
  readonly heldPulls: HeldPulls;
  readonly groups: ConsumerGroups<Channel>;
  readonly offsets: ConsumerOffsets;
  readonly locks: QueueLocks;
  /** When the node was made, by the wall clock. */
  readonly bootTimestamp: number;
  /** Messages handed out since then. */
  pulledCount: number;
  /** What clients dial; part of every message. */
  storeHost: InetHost;
  /** From the first word of stopping on. */
  isClosing: boolean;
}
