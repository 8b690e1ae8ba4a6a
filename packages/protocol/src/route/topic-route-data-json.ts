import { encodeUtf8, type JsonValue, writeFastJson } from '@rmqns/remoting/json';
import { BeanReader } from '../body/bean-reader.js';
import { decodeUtf8 } from '../body/decode-utf8.js';
import { parseRequestJson } from '../body/request-json.js';
import { brokerDataFromJson, brokerDataToJson } from './broker-data-json.js';
import { queueDataFromJson, queueDataToJson } from './queue-data-json.js';
import type { RouteDialect } from './route-dialect.js';
import type { TopicQueueMappingInfo } from './topic-queue-mapping-info.js';
import { topicQueueMappingInfoFromJson, topicQueueMappingInfoToJson } from './topic-queue-mapping-info-json.js';
import type { TopicRouteData } from './topic-route-data.js';

/**
 * The body of an answer to GET_ROUTEINFO_BY_TOPIC (105; reference: nameserver 2.7). Lists keep their order, broker ids ascend; the
 * standard flavour sorts all maps.
 */
export function encodeTopicRouteData(route: TopicRouteData, dialect: RouteDialect): Buffer {
  const { standardJson, queueFlagName, fiveX } = dialect;
  const bean = {
    brokerDatas: route.brokerDatas.map((broker) => brokerDataToJson(broker, fiveX)),
    filterServerTable: route.filterServerTable,
    orderTopicConf: route.orderTopicConf,
    queueDatas: route.queueDatas.map((queue) => queueDataToJson(queue, queueFlagName)),
    topicQueueMappingByBroker: fiveX ? mappingsToJson(route.topicQueueMappingByBroker) : undefined,
  };
  return encodeUtf8(writeFastJson(bean, standardJson ? 'standard' : 'legacy'));
}

/**
 * Reads route data of any release and either flavour; what is missing is empty. `undefined` for no body and for JSON that stands for
 * null: a client that asked for a route takes that for a failure, a server that is told one (217) has nothing to do.
 *
 * @throws DecodeError when the body is no route data
 */
export function decodeTopicRouteData(body: Uint8Array | string | undefined): TopicRouteData | undefined {
  if (body === undefined || body.length === 0) return undefined;
  const bean = BeanReader.of(parseRequestJson(typeof body === 'string' ? body : decodeUtf8(body)), 'route data');
  if (bean === null) return undefined;
  return {
    orderTopicConf: bean.text('orderTopicConf') ?? undefined,
    queueDatas: present(bean.list('queueDatas'), queueDataFromJson),
    brokerDatas: present(bean.list('brokerDatas'), brokerDataFromJson),
    filterServerTable: bean.textLists('filterServerTable') ?? new Map(),
    topicQueueMappingByBroker: mappingsFromJson(bean),
  };
}

function mappingsToJson(mappings: ReadonlyMap<string, TopicQueueMappingInfo> | undefined) {
  if (mappings === undefined) return undefined;
  return new Map([...mappings].map(([brokerName, info]) => [brokerName, topicQueueMappingInfoToJson(info)]));
}

function mappingsFromJson(bean: BeanReader): ReadonlyMap<string, TopicQueueMappingInfo> | undefined {
  const entries = bean.entries('topicQueueMappingByBroker');
  if (entries === undefined) return undefined;
  const mappings = new Map<string, TopicQueueMappingInfo>();
  for (const [brokerName, json] of entries) {
    const info = topicQueueMappingInfoFromJson(json, null);
    if (info !== null) mappings.set(brokerName, info);
  }
  return mappings;
}

/** The elements that are there: lists may hold null. */
function present<T>(list: readonly JsonValue[] | undefined, read: (json: JsonValue) => T | null): T[] {
  return (list ?? []).map(read).filter((value) => value !== null);
}
