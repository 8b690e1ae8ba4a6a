import { encodeBrokerMemberGroup, encodeClusterInfo, GetBrokerMemberGroup, ResponseCode } from '@rmqns/protocol';
import { decodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { RequestHandler } from './request-handler.js';

/** 106: every broker and cluster (reference: nameserver 2.8). */
export const getBrokerClusterInfo: RequestHandler = ({ routeInfoManager, profile, clusterInfoAnswers }) =>
  RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    body: clusterInfoAnswers.get(routeInfoManager.tables.groupsRevision, '', () =>
      encodeClusterInfo(routeInfoManager.getAllClusterInfo(), profile),
    ),
  });

/**
 * 901: the members of a broker group, as they are (reference: nameserver 2.14). Names in the answer are those of the question; the
 * remark of a success is upstream's oversight, kept because it is on the wire.
 */
export const getBrokerMemberGroup: RequestHandler = ({ routeInfoManager }, request) => {
  const { clusterName, brokerName } = decodeHeader(GetBrokerMemberGroup.request, request.extFields);
  const brokerAddrs = brokerName === undefined ? new Map() : routeInfoManager.getBrokerMemberGroup(brokerName);
  return RemotingCommand.response(ResponseCode.SUCCESS, 'not set any response code', {
    body: encodeBrokerMemberGroup({ cluster: clusterName, brokerName, brokerAddrs }),
  });
};
