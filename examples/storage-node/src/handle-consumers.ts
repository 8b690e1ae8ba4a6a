import { ResponseCode } from '@rmqns/protocol';
import { CommandError, type RemotingServer } from '@rmqns/remoting';
import {
  GetConsumerListByGroup,
  GetMaxOffset,
  GetMinOffset,
  HeartBeat,
  LockBatchMq,
  NotifyConsumerIdsChanged,
  QueryConsumerOffset,
  SearchOffsetByTimestamp,
  UnlockBatchMq,
  UnregisterClient,
  UpdateConsumerOffset,
} from './commands.js';
import { refuseLongName } from './consumer-groups.js';
import type { NodeState } from './node-state.js';

/** Who consumes, and how far: 34, 35, 38; 14, 15, 29, 30, 31; 41, 42 (reference: storage-node 6). */
export function handleConsumers(server: RemotingServer, node: NodeState): void {
  const { groups, offsets, locks, clock, store } = node;

  server.handle(HeartBeat, ({ body: { clientID, consumerDataSet }, channel }) => {
    const names = consumerDataSet.map(({ groupName }) => groupName);
    notifyMembers(server, node, groups.heartbeat(clientID, names, channel, clock.monotonic()));
  });

  // Producers say the name of their group, of which nothing is kept here.
  server.handle(UnregisterClient, ({ header: { clientID, consumerGroup } }) => {
    if (consumerGroup !== undefined) notifyMembers(server, node, groups.unregister(clientID, consumerGroup));
  });

  server.handle(GetConsumerListByGroup, ({ header: { consumerGroup } }) => {
    refuseLongName(consumerGroup);
    const consumerIdList = groups.clientIds(consumerGroup);
    if (consumerIdList.length === 0)
      throw new CommandError(ResponseCode.SYSTEM_ERROR, `no consumer for this group, ${consumerGroup}`);
    return { body: { consumerIdList } };
  });

  server.handle(QueryConsumerOffset, ({ header }) => {
    const offset = offsets.query(header);
    // This code alone sends the consumer to where it wants to begin; with another 5.3.3 and Go never begin.
    if (offset === undefined)
      throw new CommandError(ResponseCode.QUERY_NOT_FOUND, `${header.consumerGroup} has no offset in this queue`);
    return { header: { offset } };
  });

  server.handle(UpdateConsumerOffset, ({ header }) => {
    store.queue(header.topic, header.queueId);
    offsets.commit(header, header.commitOffset);
  });

  server.handle(GetMaxOffset, ({ header: { topic, queueId } }) => ({
    header: { offset: store.queue(topic, queueId).maxOffset },
  }));

  server.handle(GetMinOffset, ({ header: { topic, queueId } }) => {
    store.queue(topic, queueId);
    return { header: { offset: 0 } };
  });

  server.handle(SearchOffsetByTimestamp, ({ header: { topic, queueId, timestamp } }) => ({
    header: { offset: store.queue(topic, queueId).searchOffset(Number(timestamp)) },
  }));

  server.handle(LockBatchMq, ({ body: { consumerGroup, clientId, mqSet } }) => {
    refuseLongName(clientId);
    const now = clock.monotonic();
    const lockOKMQSet = mqSet.filter(
      ({ topic, queueId }) =>
        store.hasQueue(topic, queueId) && locks.tryLock({ consumerGroup, topic, queueId }, clientId, now),
    );
    return { body: { lockOKMQSet } };
  });

  server.handle(UnlockBatchMq, ({ body: { consumerGroup, clientId, mqSet } }) => {
    for (const { topic, queueId } of mqSet) locks.unlock({ consumerGroup, topic, queueId }, clientId);
  });
}

/** Tells every member that the group has changed; without it they would look again only after 20 s. */
export function notifyMembers(server: RemotingServer, { groups }: NodeState, changedGroups: readonly string[]): void {
  // Who cannot be told now looks by itself later.
  for (const consumerGroup of changedGroups)
    for (const channel of groups.connections(consumerGroup))
      server.oneway(channel, NotifyConsumerIdsChanged, { consumerGroup }).catch(() => {});
}
