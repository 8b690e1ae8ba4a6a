import type { DataVersion, QueueData, TopicQueueMappingInfo } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';

/** What led to a change. */
export type ChangeCause =
  | 'register'
  | 'unregister'
  | 'expired'
  | 'channel-closed'
  /** A registration lost against a newer holder of its broker id. */
  | 'conflict'
  | 'wipe-write-perm'
  | 'add-write-perm'
  | 'delete-topic'
  | 'register-topic'
  | 'put-kv'
  | 'delete-kv'
  | 'restore-kv'
  /** By a request (318). */
  | 'update-config'
  /** By whoever runs the server. */
  | 'change-options';

/** What a registration says about its broker, apart from the topics. */
export interface BrokerState {
  readonly brokerId: Long;
  readonly dataVersion: DataVersion;
  readonly haServerAddr: string | undefined;
  readonly heartbeatTimeoutMillis: number;
  readonly filterServers: readonly string[];
  /** 5.x: the zone of its group, which is what the member said that registered last. */
  readonly zoneName: string | undefined;
  /** 5.x: of its group, as `zoneName`. */
  readonly enableActingMaster: boolean;
}

interface ClusterEvent {
  readonly type: 'cluster.added' | 'cluster.removed';
  readonly cause: ChangeCause;
  readonly cluster: string;
}

/** The last address of a broker group is gone, and with it the group. */
interface BrokerNameRemovedEvent {
  readonly type: 'broker-name.removed';
  readonly cause: ChangeCause;
  readonly cluster: string;
  readonly broker: string;
}

interface BrokerEventFields {
  readonly cause: ChangeCause;
  readonly cluster: string;
  readonly broker: string;
  readonly brokerId: Long;
  readonly addr: string;
}

interface BrokerRegisteredEvent extends BrokerEventFields {
  readonly type: 'broker.registered';
  readonly after: BrokerState;
}

/** A later registration that said something new, or changed its group; one that says the same again is no event. */
interface BrokerUpdatedEvent extends BrokerEventFields {
  readonly type: 'broker.updated';
  readonly before: BrokerState;
  readonly after: BrokerState;
}

interface BrokerUnregisteredEvent extends BrokerEventFields {
  readonly type: 'broker.unregistered';
  /** False where nothing was registered under these names, so that nothing changed. */
  readonly known: boolean;
  readonly before?: BrokerState | undefined;
}

/** A broker is gone without having said so; `before.heartbeatTimeoutMillis` is the silence it was allowed. */
interface BrokerLostEvent extends BrokerEventFields {
  readonly type: 'broker.expired' | 'broker.channel-closed';
  readonly before: BrokerState;
}

/**
 * 5.x: the smallest id of a group is another one, which its members may want to know (reference: nameserver 3.6): a broker of a smaller
 * id came, or that of the smallest left a group that may have an acting master.
 */
export interface MinBrokerIdEvent {
  readonly type: 'min-broker-id.changed';
  readonly cause: ChangeCause;
  readonly cluster: string;
  readonly broker: string;
  readonly minBrokerId: Long;
  readonly minBrokerAddr: string;
  /** The address that left; only when one did. */
  readonly offlineBrokerAddr?: string | undefined;
  /** The replication address of the broker that came; only when one did. */
  readonly haBrokerAddr?: string | undefined;
  /** The members to tell. */
  readonly recipients: readonly string[];
}

/**
 * - `stale_version`: another live address holds the id with a higher stateVersion (5.x); the registration is ignored.
 * - `master_switch`, `address_moved`: the registration takes id 0, or another id, from a live address.
 * - `name_in_two_clusters`: the name of the group is used in a second cluster; both share one group.
 */
export type ConflictKind = 'stale_version' | 'master_switch' | 'address_moved' | 'name_in_two_clusters';

interface BrokerConflictEvent extends BrokerEventFields {
  readonly type: 'broker.conflict';
  readonly kind: ConflictKind;
  /** Who held the id, or the name, until now. */
  readonly before: {
    readonly cluster: string;
    readonly addr: string | undefined;
    readonly stateVersion: Long | undefined;
  };
  readonly after: { readonly cluster: string; readonly addr: string; readonly stateVersion: Long };
}

/**
 * The queues of one topic on one broker group.
 *
 * `topic.added`: the topic was unknown. `topic.removed`: its last queues went. `topic.changed`: the queues of one of several groups came
 * (no `before`), went (no `after`) or changed. `perm.changed`: only their permission changed, by order of an operator or because the
 * group lost its master.
 */
export interface TopicEvent {
  readonly type: 'topic.added' | 'topic.changed' | 'topic.removed' | 'perm.changed';
  readonly cause: ChangeCause;
  readonly cluster: string;
  readonly broker: string;
  readonly topic: string;
  readonly before?: QueueData | undefined;
  readonly after?: QueueData | undefined;
}

/** Where the logical queues of a static topic lie on one broker (5.x). */
interface MappingEvent {
  readonly type: 'mapping.changed';
  readonly cause: ChangeCause;
  readonly cluster: string;
  readonly broker: string;
  readonly topic: string;
  readonly before?: TopicQueueMappingInfo | undefined;
  readonly after: TopicQueueMappingInfo;
}

interface KvEvent {
  readonly type: 'kv.changed';
  readonly cause: ChangeCause;
  readonly namespace: string;
  readonly key: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** An option was set while the server runs, by a text that is now its value; what changes only at the next start included. */
interface ConfigEvent {
  readonly type: 'config.changed';
  readonly cause: ChangeCause;
  readonly key: string;
  readonly before?: string | undefined;
  readonly after: string;
}

/** Everything that changes in the tables, before it has its revision. */
export type NamesrvChange =
  | ClusterEvent
  | BrokerNameRemovedEvent
  | BrokerRegisteredEvent
  | BrokerUpdatedEvent
  | BrokerUnregisteredEvent
  | BrokerLostEvent
  | BrokerConflictEvent
  | MinBrokerIdEvent
  | TopicEvent
  | MappingEvent
  | KvEvent
  | ConfigEvent;

/** A change of the tables; `revision` is one more than that of the event before. The content is that of the log lines in reference: nameserver 6.5. */
export type NamesrvEvent = NamesrvChange & { readonly revision: number };

/** Called in order of the revisions, after the operation that caused the events is complete. */
export type NamesrvEventListener = (event: NamesrvEvent) => void;
