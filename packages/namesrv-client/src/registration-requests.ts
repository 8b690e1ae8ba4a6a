import type { DataVersion, TopicConfig, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { toLong } from '@rmqns/remoting/json';
import { type BrokerRegistration, RegisterBrokerRequest } from './register-broker-request.js';

/** What makes a broker known to a name server. */
export interface RegistrationRequests {
  /** The whole table, in as many requests as it is split into, to be sent in this order. */
  readonly whole: readonly RegisterBrokerRequest[];
  /** The version that a name server has after {@link whole}, or after {@link partial}. */
  readonly dataVersion: DataVersion;
  /** Goes first where the broker is not registered yet; only where the first request holds exactly one topic. */
  readonly introduction: RegisterBrokerRequest | undefined;
  /** Does instead of the whole table where a name server has the version before. */
  readonly partial?: { readonly since: DataVersion; readonly request: RegisterBrokerRequest } | undefined;
}

/** What changed between two versions of a table; topics that went are in no registration. */
export interface TopicsChange {
  /** The version before. */
  readonly since: DataVersion;
  /** Topics that are new or different, at least one. */
  readonly topics: readonly string[];
}

export interface SplitOptions {
  /** How many topics a request holds at most. */
  readonly size: number;
  /** Another version for each request, since a name server passes over a table whose version it has seen. */
  readonly nextDataVersion: () => DataVersion;
}

/**
 * Makes the requests for a topic table. A 5.x name server refuses a table of exactly one topic from a broker that it does not know
 * (reference: broker-registration 2.7), so such a broker introduces itself with an empty table. The introduction's version is that of
 * the change before, since a name server of 4.x ignores a table whose version it has seen.
 *
 * @throws RemotingError `ENCODE_FAILED` when a topic cannot be written compressed
 */
export function registrationRequests(
  registration: BrokerRegistration,
  { split, change }: { readonly split?: SplitOptions | undefined; readonly change?: TopicsChange | undefined } = {},
): RegistrationRequests {
  const { topicConfigSerializeWrapper: wrapper } = registration;
  const request = (topicConfigSerializeWrapper: TopicConfigSerializeWrapper): RegisterBrokerRequest =>
    new RegisterBrokerRequest({ ...registration, topicConfigSerializeWrapper });
  const tables = split === undefined ? [wrapper] : splitTable(wrapper, split);
  const [first = wrapper] = tables;
  return {
    whole: tables.map(request),
    dataVersion: tables.at(-1)?.dataVersion ?? wrapper.dataVersion,
    introduction: first.topicConfigTable?.size === 1 ? request(emptyTableBefore(first)) : undefined,
    partial:
      change === undefined || split !== undefined
        ? undefined
        : { since: change.since, request: request(onlyTopics(wrapper, change.topics)) },
  };
}

/**
 * Parts of so many topics, each with a version of its own (reference: broker-registration 2.1). Upstream ends with an empty part where the
 * numbers come out even; it would tell nothing, and is left out. A table that fits stays whole and keeps its version.
 */
function splitTable(wrapper: TopicConfigSerializeWrapper, { size, nextDataVersion }: SplitOptions) {
  const topics = [...(wrapper.topicConfigTable ?? [])];
  if (topics.length <= size) return [wrapper];
  return Array.from({ length: Math.ceil(topics.length / size) }, (_, part): TopicConfigSerializeWrapper => {
    const topicConfigTable = new Map(topics.slice(part * size, (part + 1) * size));
    return { ...wrapper, dataVersion: nextDataVersion(), topicConfigTable };
  });
}

function onlyTopics(wrapper: TopicConfigSerializeWrapper, names: readonly string[]): TopicConfigSerializeWrapper {
  const topicConfigTable = new Map<string, TopicConfig>();
  for (const name of names) {
    const config = wrapper.topicConfigTable?.get(name);
    if (config !== undefined) topicConfigTable.set(name, config);
  }
  return { ...wrapper, topicConfigTable, topicQueueMappingInfoMap: new Map() };
}

function emptyTableBefore(wrapper: TopicConfigSerializeWrapper): TopicConfigSerializeWrapper {
  const { dataVersion } = wrapper;
  const counter = toLong(BigInt(dataVersion.counter ?? 0) - 1n) ?? 0;
  return { dataVersion: { ...dataVersion, counter }, topicConfigTable: new Map(), topicQueueMappingInfoMap: new Map() };
}
