import type { Channel, Clock } from '@rmqns/remoting';
import { ConsumerGroups } from './consumer-groups.js';
import { ConsumerOffsets, QueueLocks } from './consumer-progress.js';
import { HeldPulls } from './held-pulls.js';
import type { MessageStore } from './message-store.js';

/** Limits of what clients can make a node keep besides messages. */
export const MAX_MEMBERS = 10_000;
const MAX_OFFSETS = 100_000;
const MAX_LOCKS = 100_000;
const MAX_HELD_PULLS = 10_000;

/** All that a node knows; the handlers of requests share it. */
export type NodeState = ReturnType<typeof createNodeState>;

export function createNodeState(clock: Clock, store: MessageStore, storeHost: Buffer) {
  return {
    clock,
    store,
    heldPulls: new HeldPulls(clock, MAX_HELD_PULLS),
    groups: new ConsumerGroups<Channel>(MAX_MEMBERS),
    offsets: new ConsumerOffsets(MAX_OFFSETS),
    locks: new QueueLocks(MAX_LOCKS),
    /** When the node was made, by the wall clock. */
    bootTimestamp: clock.now(),
    /** Messages handed out since then. */
    pulledCount: 0,
    /** What clients dial, as it stands in messages. */
    storeHost,
    /** From the first word of stopping on. */
    isClosing: false,
  };
}
