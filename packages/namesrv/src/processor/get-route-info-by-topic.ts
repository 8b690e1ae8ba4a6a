import { encodeTopicRouteData, MqVersion, ORDER_TOPIC_CONFIG, ResponseCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { MEMBER_TOPIC_PREFIX } from '../routeinfo/acting-master.js';
import { inZone } from '../routeinfo/zone-route.js';
import type { NamesrvContext } from './namesrv-context.js';
import type { RequestHandler } from './request-handler.js';

/** 105: a client asks where a topic is (reference: nameserver 2.7). */
export const getRouteInfoByTopic: RequestHandler = (context, request) => {
  const header = context.routeLookups.of(request);
  const { topic } = header;
  if (!isReady(context, topic)) return RemotingCommand.response(ResponseCode.SYSTEM_ERROR, 'name server not ready');
  const zone = context.profile.fiveX && header.__ZONE_MODE === true ? named(header.__ZONE_NAME) : undefined;
  const standardJson =
    context.profile.standardRouteJson &&
    (request.version >= MqVersion.V4_9_4 || header.acceptStandardJsonOnly === true);
  const { productRoutes } = context;
  // What was filtered by zone is in the legacy flavour, whoever asks, and so is all that a cluster-test server says.
  const isStandard = standardJson && zone === undefined && productRoutes === undefined;
  const body = topic === undefined ? undefined : route(context, topic, isStandard, zone);
  if (body !== undefined || productRoutes === undefined || topic === undefined) return answer(context, topic, body);
  return productRoutes.find(topic).then((found) => {
    if (found === undefined) return answer(context, topic, undefined);
    const { queueFlagName, fiveX } = context.profile;
    const shown = zone === undefined ? found : inZone(found, zone);
    return answer(context, topic, encodeTopicRouteData(shown, { standardJson: false, queueFlagName, fiveX }));
  });
};

function answer({ profile }: NamesrvContext, topic: string | undefined, body: Buffer | undefined): RemotingCommand {
  if (body !== undefined) {
    const found = RemotingCommand.response(ResponseCode.SUCCESS);
    found.body = body;
    return found;
  }
  return RemotingCommand.response(
    ResponseCode.TOPIC_NOT_EXIST,
    `No topic route info in name server for the topic: ${topic ?? null}\nSee ${profile.faqUrl} for further details.`,
  );
}

/** A blank name is none. */
function named(zone: string | undefined): string | undefined {
  return zone === undefined || zone.trim() === '' ? undefined : zone;
}

/**
 * 5.1 and later: a server that has just started may not know all brokers yet, and can be told to say so. One that stops sends clients
 * elsewhere, but brokers go on to find the members of their group.
 */
function isReady(
  { options, isStopping, clock, constructedMillis }: NamesrvContext,
  topic: string | undefined,
): boolean {
  if (isStopping() && topic?.startsWith(MEMBER_TOPIC_PREFIX) !== true) return false;
  const { needWaitForService, waitSecondsForService } = options();
  return !needWaitForService || clock.monotonic() - constructedMillis >= waitSecondsForService * 1000;
}

function route(
  context: NamesrvContext,
  topic: string,
  standardJson: boolean,
  zone: string | undefined,
): Buffer | undefined {
  const { routeInfoManager, profile } = context;
  const { orderMessageEnable, supportActingMaster } = context.options();
  // A cluster-test server shows it always.
  const orderTopicConf =
    orderMessageEnable || context.productRoutes !== undefined
      ? context.kvConfigManager.getKvConfig(ORDER_TOPIC_CONFIG, topic)
      : undefined;
  const actingMasters = supportActingMaster && profile.fiveX;
  const dialect = dialectOf(standardJson, orderTopicConf !== undefined, actingMasters, knownZone(context, zone));
  return routeInfoManager.routeCache.get(topic, dialect, () => {
    const found = routeInfoManager.pickupTopicRouteData(topic, { actingMasters });
    if (found === undefined) return undefined;
    return encodeTopicRouteData(
      { ...(zone === undefined ? found : inZone(found, zone)), orderTopicConf },
      { standardJson, queueFlagName: profile.queueFlagName, fiveX: profile.fiveX },
    );
  });
}

/** Whoever changes an order configuration drops the routes that show it. */
function dialectOf(standardJson: boolean, order: boolean, actingMasters: boolean, zone: string | undefined): string {
  const flavour = standardJson ? 'standard' : 'legacy';
  // Most answers show none of these: they pay for no text.
  if (!order && !actingMasters && zone === undefined) return flavour;
  return `${flavour}${order ? ' with order' : ''}${actingMasters ? ' with acting masters' : ''}${zone ?? ''}`;
}

/** A zone that some group is in, or one name for all others: to those a route looks the same, and peers choose them freely. */
function knownZone({ routeInfoManager }: NamesrvContext, zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  const name = zone.toLowerCase();
  return routeInfoManager.tables.brokerAddrTable.hasZone(name) ? ` in ${name}` : ' in another zone';
}
