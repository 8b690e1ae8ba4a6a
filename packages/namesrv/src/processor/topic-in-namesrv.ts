import { DeleteTopicInNamesrv, decodeTopicRouteData, RegisterTopicInNamesrv, ResponseCode } from '@rmqns/protocol';
import { decodeHeader, RemotingCommand } from '@rmqns/remoting';
import { refuseLongBody } from './refuse-long-body.js';
import type { RequestHandler } from './request-handler.js';

/** 216: forgets a topic, or its queues in one cluster; success also when there is none (reference: nameserver 2.11). */
export const deleteTopicInNamesrv: RequestHandler = ({ routeInfoManager, profile }, request) => {
  const { topic, clusterName } = decodeHeader(DeleteTopicInNamesrv.request, request.extFields);
  if (topic !== undefined) routeInfoManager.deleteTopic(topic, profile.deletesTopicByCluster ? clusterName : undefined);
  return RemotingCommand.response(ResponseCode.SUCCESS);
};

/** 217: adds a topic's queues on groups that are known; success also when none is, or no topic is named (reference: nameserver 2.16). */
export const registerTopicInNamesrv: RequestHandler = ({ routeInfoManager }, request) => {
  const { topic } = decodeHeader(RegisterTopicInNamesrv.request, request.extFields);
  refuseLongBody(request);
  const queueDatas = decodeTopicRouteData(request.body)?.queueDatas ?? [];
  if (topic !== undefined) routeInfoManager.registerTopic(topic, queueDatas);
  return RemotingCommand.response(ResponseCode.SUCCESS);
};
