import { ResponseCode } from '@rmqns/protocol';
import { CommandError, encodeHeader, RemotingCommand, type RemotingServer } from '@rmqns/remoting';
import {
  CheckClientConfig,
  GetConsumerListByGroup,
  HeartBeat,
  LockBatchMq,
  NotifyConsumerIdsChanged,
  UnlockBatchMq,
  UnregisterClient,
} from './commands.js';
import type { NodeState } from './node-state.js';

/** Longer names of groups and clients are not kept. */
const MAX_NAME_LENGTH = 255;

/** Groups of consumers: 34, 35, 38, 41, 42, 46 (reference: storage-node 6). */
export function handleGroups(server: RemotingServer, node: NodeState): void {
  const { groups, locks, clock, store } = node;

  server.handle(HeartBeat, ({ body: { clientID, consumerGroups }, channel }) => {
    for (const name of [clientID, ...consumerGroups]) refuseLong(name);
    notifyMembers(server, node, groups.heartbeat(clientID, consumerGroups, channel, clock.monotonic()));
  });

  // Producers say the name of their group, of which nothing is kept here.
  server.handle(UnregisterClient, ({ header: { clientID, consumerGroup } }) => {
    if (consumerGroup !== undefined) notifyMembers(server, node, groups.unregister(clientID, consumerGroup));
  });

  server.handle(GetConsumerListByGroup, ({ header: { consumerGroup } }) => {
    const clientIds = groups.clientIds(consumerGroup);
    if (clientIds.length === 0)
      throw new CommandError(ResponseCode.SYSTEM_ERROR, `no consumer for this group, ${consumerGroup}`);
    return { body: clientIds };
  });

  server.handle(LockBatchMq, ({ body: { consumerGroup, clientId, mqSet } }) => {
    for (const name of [clientId, consumerGroup]) refuseLong(name);
    const now = clock.monotonic();
    return {
      body: mqSet.filter(
        ({ topic, queueId }) =>
          store.hasQueue(topic, queueId) && locks.tryLock(consumerGroup, clientId, topic, queueId, now),
      ),
    };
  });

  server.handle(UnlockBatchMq, ({ body: { consumerGroup, clientId, mqSet } }) => {
    for (const { topic, queueId } of mqSet) locks.unlock(consumerGroup, clientId, topic, queueId);
  });

  server.handle(CheckClientConfig, ({ body: { expressionType } }) => {
    if (expressionType !== 'TAG')
      throw new CommandError(
        ResponseCode.SYSTEM_ERROR,
        `The broker does not support consumer to filter message by ${expressionType}`,
      );
  });
}

/** Tells every member that the group has changed; without it they would look again only after 20 s. */
export function notifyMembers(server: RemotingServer, { groups }: NodeState, changedGroups: readonly string[]): void {
  for (const consumerGroup of changedGroups) {
    const request = RemotingCommand.request(NotifyConsumerIdsChanged.code, {
      extFields: encodeHeader(NotifyConsumerIdsChanged.request, { consumerGroup }),
    });
    // Who cannot be told now looks by itself later.
    for (const channel of groups.connections(consumerGroup)) server.invokeOneway(channel, request).catch(() => {});
  }
}

function refuseLong(name: string): void {
  if (name.length > MAX_NAME_LENGTH)
    throw new CommandError(
      ResponseCode.SYSTEM_ERROR,
      `a name has ${name.length} characters; ${MAX_NAME_LENGTH} are allowed`,
    );
}
