import { ResponseCode } from '@rmqns/protocol';
import { CommandError, type RemotingServer } from '@rmqns/remoting';
import {
  GetMaxOffset,
  GetMinOffset,
  QueryConsumerOffset,
  SearchOffsetByTimestamp,
  UpdateConsumerOffset,
} from './commands.js';
import type { NodeState } from './node-state.js';

/** Positions in queues: 14, 15, 29, 30, 31 (reference: storage-node 6.6). */
export function handleOffsets(server: RemotingServer, { offsets, store }: NodeState): void {
  server.handle(QueryConsumerOffset, ({ header: { consumerGroup, topic, queueId } }) => {
    const offset = offsets.query(consumerGroup, topic, queueId);
    // This code alone sends the consumer to where it wants to begin; with another 5.3.3 and Go never begin.
    if (offset === undefined)
      throw new CommandError(
        ResponseCode.QUERY_NOT_FOUND,
        `${consumerGroup} has no offset in queue ${queueId} of ${topic}`,
      );
    return { header: { offset } };
  });

  server.handle(UpdateConsumerOffset, ({ header: { consumerGroup, topic, queueId, commitOffset } }) => {
    store.queue(topic, queueId);
    offsets.commit(consumerGroup, topic, queueId, commitOffset);
  });

  server.handle(GetMaxOffset, ({ header: { topic, queueId } }) => ({
    header: { offset: store.queue(topic, queueId).maxOffset },
  }));

  server.handle(GetMinOffset, ({ header: { topic, queueId } }) => ({
    header: { offset: store.queue(topic, queueId).minOffset },
  }));

  server.handle(SearchOffsetByTimestamp, ({ header: { topic, queueId, timestamp } }) => ({
    header: { offset: store.queue(topic, queueId).searchOffset(Number(timestamp)) },
  }));
}
