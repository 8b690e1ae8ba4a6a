import { encodeClusterInfo, encodeTopicList, ResponseCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import type { RequestHandler } from './request-handler.js';

/** 106: every broker and cluster (reference: nameserver 2.8). */
export const getBrokerClusterInfo: RequestHandler = (context) =>
  RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    body: encodeClusterInfo(context.routeInfoManager.getAllClusterInfo(), context.profile),
  });

/** 206: every topic (reference: nameserver 2.10). */
export const getAllTopicListFromNameserver: RequestHandler = (context) => {
  if (!context.options.enableAllTopicList) return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'disable');
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    body: encodeTopicList({ topicList: context.routeInfoManager.getAllTopicList() }),
  });
};
