import { encodeTopicList, GetTopicsByCluster, ResponseCode, type TopicList } from '@rmqns/protocol';
import { decodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { RouteInfoManager } from '../routeinfo/route-info-manager.js';
import type { NamesrvContext } from './namesrv-context.js';
import type { RequestHandler } from './request-handler.js';

// Lists of topics (reference: nameserver 2.10). In 5.x two switches turn them off, but for 304.

/** 206: every topic. */
export const getAllTopicListFromNameserver: RequestHandler = (context) =>
  context.options().enableAllTopicList
    ? kept(context, 'all', (manager) => ({ topicList: manager.getAllTopicList() }))
    : disabled();

/** 224: the topics of a cluster; none for one that is not known. */
export const getTopicsByCluster: RequestHandler = (context, request) => {
  if (!context.options().enableTopicList) return disabled();
  const { cluster } = decodeHeader(GetTopicsByCluster.request, request.extFields);
  const known = cluster !== undefined && context.routeInfoManager.tables.clusterAddrTable.brokerNamesOf(cluster);
  if (!known) return answer(encodeTopicList({ topicList: [] }));
  return kept(context, `of ${cluster}`, (manager) => ({ topicList: manager.getTopicsByCluster(cluster) }));
};

/** 304: the names of clusters and brokers, which are topics of their own, and one broker's address to ask for more. */
export const getSystemTopicListFromNs: RequestHandler = (context) =>
  kept(context, 'system', (manager) => manager.getSystemTopicList());

/** 311: topics of units. */
export const getUnitTopicList = unitList('unit', (manager) => manager.getUnitTopics());

/** 312: topics that units subscribe to. */
export const getHasUnitSubTopicList = unitList('unit sub', (manager) => manager.getHasUnitSubTopicList());

/** 313: topics that units subscribe to and that are of no unit. */
export const getHasUnitSubUnunitTopicList = unitList('unit sub, no unit', (manager) =>
  manager.getHasUnitSubUnUnitTopicList(),
);

function unitList(key: string, topicsOf: (manager: RouteInfoManager) => readonly string[]): RequestHandler {
  return (context) =>
    context.options().enableTopicList
      ? kept(context, key, (manager) => ({ topicList: topicsOf(manager) }))
      : disabled();
}

function kept(
  { routeInfoManager, topicListAnswers }: NamesrvContext,
  key: string,
  listOf: (manager: RouteInfoManager) => TopicList,
): RemotingCommand {
  const { groupsRevision, topicsRevision } = routeInfoManager.tables;
  // Both only grow: the sum is another one after any change.
  return answer(
    topicListAnswers.get(groupsRevision + topicsRevision, key, () => encodeTopicList(listOf(routeInfoManager))),
  );
}

function answer(body: Buffer): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, { body });
}

function disabled(): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'disable');
}
