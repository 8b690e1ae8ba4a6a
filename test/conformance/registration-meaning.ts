import type { RegisterBrokerBody } from '@rmqns/protocol';
import { type Json, parseLenientJson, type VectorMessage } from '@rmqns/test-kit';

/** What a registration says, as plain JSON: for comparing what was read with what was captured. */
export interface RegistrationMeaning {
  readonly dataVersion: Json;
  readonly topics: Json;
  readonly filterServerList: Json;
  readonly mappings: Json;
}

type Members = { readonly [name: string]: Json };

/** The meaning of a body that was read by the code under test. */
export function meaningOfBody(body: RegisterBrokerBody): RegistrationMeaning {
  const { dataVersion, topicConfigTable, topicQueueMappingInfoMap } = body.topicConfigSerializeWrapper;
  return plain({
    dataVersion,
    topics: Object.fromEntries(
      [...(topicConfigTable ?? [])].map(([name, topic]) => [name, withoutNoAttributes(topic)]),
    ),
    filterServerList: body.filterServerList,
    mappings: Object.fromEntries(topicQueueMappingInfoMap),
  }) as unknown as RegistrationMeaning;
}

/** The meaning of a captured registration, read without the code under test. */
export function meaningOfCapture({ header, body_text, body_inflated }: VectorMessage): RegistrationMeaning {
  if (body_inflated !== undefined) {
    const { data_version, topic_configs, filter_server_list, topic_queue_mappings = [] } = body_inflated;
    const topics = topic_configs.map((text) => topicOfText(text));
    const mappings = topic_queue_mappings.map((text) => parseLenientJson(text) as Members);
    return {
      dataVersion: { stateVersion: 0, ...(JSON.parse(data_version) as Members) },
      topics: byName(topics.map(withoutNoAttributes), 'topicName'),
      filterServerList: JSON.parse(filter_server_list) as Json,
      mappings: byName(mappings, 'topic'),
    };
  }
  const body = parseLenientJson(body_text ?? '') as Members;
  // Before 3.0.11 the body was the topic table alone.
  const bare = header.version < 63;
  const wrapper = (bare ? body : body['topicConfigSerializeWrapper']) as Members;
  return {
    dataVersion: { stateVersion: 0, ...(wrapper['dataVersion'] as Members) },
    topics: Object.fromEntries(
      Object.entries(wrapper['topicConfigTable'] as Members).map(([name, topic]) => [
        name,
        withoutNoAttributes(topic as Members),
      ]),
    ),
    filterServerList: bare ? null : (body['filterServerList'] ?? null),
    mappings: wrapper['topicQueueMappingInfoMap'] ?? {},
  };
}

/** `name readQueueNums writeQueueNums perm filterType [attributes]`; order and flags are lost in it. */
function topicOfText(text: string): Members {
  const [topicName = '', readQueueNums, writeQueueNums, perm, topicFilterType = '', ...rest] = text.split(' ');
  return {
    topicName,
    readQueueNums: Number(readQueueNums),
    writeQueueNums: Number(writeQueueNums),
    perm: Number(perm),
    topicFilterType,
    topicSysFlag: 0,
    order: false,
    ...(rest.length > 0 ? { attributes: JSON.parse(rest.join(' ')) as Json } : {}),
  };
}

/** No attributes are as good as an empty map of them. */
function withoutNoAttributes<T extends { readonly attributes?: unknown }>(topic: T): Omit<T, 'attributes'> {
  const { attributes, ...rest } = topic;
  const size = attributes instanceof Map ? attributes.size : Object.keys(attributes ?? {}).length;
  return size === 0 ? rest : topic;
}

function byName(items: readonly Members[], name: string): Members {
  return Object.fromEntries(items.map((item) => [String(item[name]), item]));
}

/** Maps as objects; members that are undefined left out. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_name, member: unknown) => (member instanceof Map ? Object.fromEntries(member) : member)),
  ) as Json;
}
