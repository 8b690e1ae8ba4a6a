import { encodeTopicList, GetTopicsByCluster, ResponseCode, type TopicList } from '@rmqns/protocol';
import { decodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { RouteInfoManager } from '../routeinfo/route-info-manager.js';
import type { RequestHandler } from './request-handler.js';

// Lists of topics (reference: nameserver 2.10). In 5.x two switches turn them off, but for 304.

/** 206: every topic. */
export const getAllTopicListFromNameserver: RequestHandler = ({ options, routeInfoManager }) =>
  options.enableAllTopicList ? listed({ topicList: routeInfoManager.getAllTopicList() }) : disabled();

/** 224: the topics of a cluster; none for one that is not known. */
export const getTopicsByCluster: RequestHandler = ({ options, routeInfoManager }, request) => {
  if (!options.enableTopicList) return disabled();
  const { cluster } = decodeHeader(GetTopicsByCluster.request, request.extFields);
  return listed({ topicList: cluster === undefined ? [] : routeInfoManager.getTopicsByCluster(cluster) });
};

/** 304: the names of clusters and brokers, which are topics of their own, and one broker's address to ask for more. */
export const getSystemTopicListFromNs: RequestHandler = ({ routeInfoManager }) =>
  listed(routeInfoManager.getSystemTopicList());

/** 311: topics of units. */
export const getUnitTopicList = unitList((manager) => manager.getUnitTopics());

/** 312: topics that units subscribe to. */
export const getHasUnitSubTopicList = unitList((manager) => manager.getHasUnitSubTopicList());

/** 313: topics that units subscribe to and that are of no unit. */
export const getHasUnitSubUnunitTopicList = unitList((manager) => manager.getHasUnitSubUnUnitTopicList());

function unitList(topicsOf: (manager: RouteInfoManager) => readonly string[]): RequestHandler {
  return ({ options, routeInfoManager }) =>
    options.enableTopicList ? listed({ topicList: topicsOf(routeInfoManager) }) : disabled();
}

function listed(list: TopicList): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, { body: encodeTopicList(list) });
}

function disabled(): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'disable');
}
