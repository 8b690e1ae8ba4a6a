import {
  BrokerHeartbeat,
  bodyCrc32,
  decodeDataVersion,
  decodeRegisterBrokerBody,
  encodeDataVersion,
  encodeKvTable,
  ORDER_TOPIC_CONFIG,
  QueryDataVersion,
  RegisterBroker,
  ResponseCode,
  UnregisterBroker,
} from '@rmqns/protocol';
import { createExtFields, decodeHeader, encodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { RequestHandler } from './request-handler.js';

/** 103: a broker registers, which is also its heartbeat (reference: nameserver 2.5). */
export const registerBroker: RequestHandler = (context, request, channel) => {
  const header = decodeHeader(RegisterBroker.request, request.extFields);
  if (header.bodyCrc32 !== 0 && header.bodyCrc32 !== bodyCrc32(request.body)) {
    context.logger.warn(
      { address: channel.remoteAddress, broker: header.brokerName, addr: header.brokerAddr },
      `receive registerBroker request,crc32 not match,from ${channel.remoteAddress}`,
    );
    return failed('crc32 not match');
  }
  const body = decodeRegisterBrokerBody(request.body, {
    compressed: header.compressed,
    requestVersion: request.version,
    nowMillis: context.clock.now(),
    fiveX: context.profile.fiveX,
  });
  const result = context.routeInfoManager.registerBroker(
    {
      clusterName: header.clusterName,
      brokerName: header.brokerName,
      brokerId: header.brokerId,
      brokerAddr: header.brokerAddr,
      haServerAddr: header.haServerAddr,
      zoneName: header.__ZONE_NAME,
      heartbeatTimeoutMillis:
        header.heartbeatTimeoutMillis === undefined ? undefined : Number(header.heartbeatTimeoutMillis),
      enableActingMaster: header.enableActingMaster,
      topicConfigWrapper: body.topicConfigSerializeWrapper,
      filterServerList: body.filterServerList,
      connection: channel,
    },
    context.clock.monotonic(),
  );
  if (!result.ok) return failed(result.remark);
  // Absent and empty differ: an empty table makes the broker clear the order flag of all its topics, no body leaves them alone.
  const orderTopics = context.options.returnOrderTopicConfigToBroker
    ? context.kvConfigManager.getKvListByNamespace(ORDER_TOPIC_CONFIG)
    : undefined;
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(RegisterBroker.response, {
      masterAddr: result.masterAddr,
      haServerAddr: result.haServerAddr,
    }),
    body: orderTopics === undefined ? undefined : encodeKvTable(orderTopics),
  });
};

/** The answer to a registration that changed nothing; it has a header without fields, as upstream's. */
function failed(remark: string): RemotingCommand {
  return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, remark, { extFields: createExtFields() });
}

/** 104: a broker leaves; it is out of the routes before the answer goes (reference: nameserver 2.6). */
export const unregisterBroker: RequestHandler = (context, request) => {
  context.routeInfoManager.unregisterBroker(decodeHeader(UnregisterBroker.request, request.extFields));
  return RemotingCommand.response(ResponseCode.SUCCESS);
};

/** 322: a broker asks whether it must register anew; if not, this was its heartbeat (reference: nameserver 2.13). */
export const queryDataVersion: RequestHandler = (context, request, channel) => {
  const { clusterName, brokerAddr } = decodeHeader(QueryDataVersion.request, request.extFields);
  const { changed, dataVersion } = context.routeInfoManager.queryDataVersion(
    { clusterName, brokerAddr },
    decodeDataVersion(request.body, context.clock.now()) ?? null,
    channel,
    context.clock.monotonic(),
  );
  return RemotingCommand.response(ResponseCode.SUCCESS, undefined, {
    extFields: encodeHeader(QueryDataVersion.response, { changed }),
    body: dataVersion === undefined ? undefined : encodeDataVersion(dataVersion, context.profile),
  });
};

/** 904: a 5.x broker's heartbeat; it makes no entry and asks for none (reference: nameserver 2.15). */
export const brokerHeartbeat: RequestHandler = (context, request, channel) => {
  const header = decodeHeader(BrokerHeartbeat.request, request.extFields);
  context.routeInfoManager.brokerHeartbeat(header, channel, context.clock.monotonic());
  return RemotingCommand.response(ResponseCode.SUCCESS);
};
