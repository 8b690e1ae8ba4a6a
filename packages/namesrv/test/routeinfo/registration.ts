import type { DataVersion, TopicConfig } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import { EventRecorder } from '../../src/event-recorder.js';
import type { NamesrvEvent } from '../../src/namesrv-event.js';
import { type ProfileName, profiles } from '../../src/profile.js';
import type { BrokerRegistration } from '../../src/routeinfo/register-broker.js';
import { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';

export const EVERY_RELEASE: readonly ProfileName[] = ['4.7.1', '4.9.7', '5.3.3'];
export const RELEASES_4X: readonly ProfileName[] = ['4.7.1', '4.9.7'];

/** The two topics that most tests register: two, because 5.x refuses a first registration of one. */
const TWO_TOPICS = ['T1', 'T2'];

export function topicConfig(topicName: string | null, over: Partial<TopicConfig> = {}): TopicConfig {
  return {
    topicName,
    readQueueNums: 4,
    writeQueueNums: 4,
    perm: 6,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
    ...over,
  };
}

export function version(counter: number, stateVersion: Long = 0): DataVersion {
  return { timestamp: 1000, counter, stateVersion };
}

export interface RegistrationFields {
  readonly cluster?: string;
  readonly name?: string;
  readonly id?: Long;
  readonly addr?: string;
  readonly ha?: string;
  readonly topics?: readonly (string | TopicConfig)[] | null;
  readonly version?: DataVersion;
  readonly connection?: number;
  readonly over?: Partial<BrokerRegistration>;
}

/** A registration of master `broker-a` at `10.0.0.1:10911` over connection 1, unless said otherwise. */
export function registration(fields: RegistrationFields = {}): BrokerRegistration {
  const topics = fields.topics === undefined ? TWO_TOPICS : fields.topics;
  const configs = topics?.map((topic) => (typeof topic === 'string' ? topicConfig(topic) : topic));
  return {
    clusterName: fields.cluster ?? 'C1',
    brokerName: fields.name ?? 'broker-a',
    brokerId: fields.id ?? 0,
    brokerAddr: fields.addr ?? '10.0.0.1:10911',
    haServerAddr: fields.ha ?? '10.0.0.1:10912',
    topicConfigWrapper: {
      dataVersion: fields.version ?? version(1),
      topicConfigTable: configs
        ? new Map(configs.map((config, index) => [config.topicName ?? `#${index}`, config]))
        : null,
      topicQueueMappingInfoMap: new Map(),
    },
    filterServerList: null,
    connection: fields.connection ?? 1,
    ...fields.over,
  };
}

export interface Recorded {
  readonly manager: RouteInfoManager;
  readonly events: NamesrvEvent[];
}

export function recordingManager(
  profile: ProfileName,
  options: { defaultHeartbeatTimeoutMillis?: number } = {},
): Recorded {
  const events: NamesrvEvent[] = [];
  const manager = new RouteInfoManager({
    profile: profiles[profile],
    events: new EventRecorder((event) => events.push(event)),
    ...options,
  });
  return { manager, events };
}

/** `id=addr` of each member of the groups in a topic's route, or undefined without a route. */
export function routeOf(manager: RouteInfoManager, topic: string): Record<string, string[]> | undefined {
  const route = manager.pickupTopicRouteData(topic);
  return (
    route &&
    Object.fromEntries(
      route.brokerDatas.map(({ brokerName, brokerAddrs }) => [
        brokerName,
        [...brokerAddrs].map(([id, addr]) => `${id}=${addr}`),
      ]),
    )
  );
}

/** Permission of a topic on a group. */
export function permOf(manager: RouteInfoManager, topic: string, brokerName = 'broker-a'): number | undefined {
  return manager.tables.topicQueueTable.get(topic, brokerName)?.perm;
}

/** All tables as plain values: empty tables are equal to those of a new manager. */
export function contents(manager: RouteInfoManager): object {
  const { tables } = manager;
  return {
    topics: Object.fromEntries(
      [...tables.topicQueueTable.topics()].map((topic) => [topic, tables.topicQueueTable.queuesOf(topic)]),
    ),
    groups: [...tables.brokerAddrTable.entries()],
    clusters: [...tables.clusterAddrTable.entries()].map(([cluster, names]) => [cluster, [...names]]),
    live: [...tables.brokerLiveTable.values()].map(({ incarnation, keptBody, ...live }) => ({ ...live })),
    filters: [...tables.filterServerTable.entries()],
  };
}
