import {
  encodeTopicRouteData,
  GetRouteInfoByTopic,
  MqVersion,
  ORDER_TOPIC_CONFIG,
  ResponseCode,
} from '@rmqns/protocol';
import { decodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { NamesrvContext } from './namesrv-context.js';
import type { RequestHandler } from './request-handler.js';

/** 105: a client asks where a topic is (reference: nameserver 2.7). */
export const getRouteInfoByTopic: RequestHandler = (context, request) => {
  const { topic, acceptStandardJsonOnly } = decodeHeader(GetRouteInfoByTopic.request, request.extFields);
  const standardJson =
    context.profile.standardRouteJson && (request.version >= MqVersion.V4_9_4 || acceptStandardJsonOnly === true);
  const body = topic === undefined ? undefined : route(context, topic, standardJson);
  if (body !== undefined) return RemotingCommand.response(ResponseCode.SUCCESS, undefined, { body });
  return RemotingCommand.response(
    ResponseCode.TOPIC_NOT_EXIST,
    `No topic route info in name server for the topic: ${topic ?? null}\nSee ${context.profile.faqUrl} for further details.`,
  );
};

function route(context: NamesrvContext, topic: string, standardJson: boolean): Buffer | undefined {
  const { routeInfoManager, profile } = context;
  const orderTopicConf = context.options().orderMessageEnable
    ? context.kvConfigManager.getKvConfig(ORDER_TOPIC_CONFIG, topic)
    : undefined;
  const flavour = standardJson ? 'standard' : 'legacy';
  // Whoever changes an order configuration drops the routes that show it.
  const dialect = orderTopicConf === undefined ? flavour : `${flavour} with order`;
  return routeInfoManager.routeCache.get(topic, dialect, () => {
    const found = routeInfoManager.pickupTopicRouteData(topic);
    return found === undefined
      ? undefined
      : encodeTopicRouteData(
          { ...found, orderTopicConf },
          { standardJson, queueFlagName: profile.queueFlagName, fiveX: profile.fiveX },
        );
  });
}
