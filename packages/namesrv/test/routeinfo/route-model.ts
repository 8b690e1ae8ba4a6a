import type { TopicConfig } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';

export interface ModelRegistration {
  readonly cluster: string;
  readonly name: string;
  readonly id: Long;
  readonly addr: string;
  readonly connection: number;
  readonly counter: number;
  readonly stateVersion: number;
  readonly acting: boolean | undefined;
  readonly topics: readonly TopicConfig[];
}

/** One text for each entry. */
export interface Contents {
  readonly live: string[];
  readonly members: string[];
  readonly listed: string[];
  readonly queues: string[];
}

interface ModelBroker extends ModelRegistration {
  readonly at: number;
  /** All connections it was heard on that are open; the last one stands for it. */
  readonly connections: readonly number[];
}

interface ModelQueue {
  readonly topic: string;
  readonly name: string;
  readonly perm: number;
}

/** The rules of the tables in the most obvious form: flat lists, looked through from end to end. */
export class RouteModel {
  readonly #fiveX: boolean;
  readonly #timeoutMillis: number;
  #live: ModelBroker[] = [];
  #members: { readonly name: string; readonly id: Long; readonly addr: string }[] = [];
  #listed: { readonly cluster: string; readonly name: string }[] = [];
  #queues: ModelQueue[] = [];
  readonly #acting = new Map<string, boolean>();

  constructor(fiveX: boolean, timeoutMillis: number) {
    this.#fiveX = fiveX;
    this.#timeoutMillis = timeoutMillis;
  }

  register(registration: ModelRegistration, now: number): boolean {
    const { cluster, name, id, addr, topics } = registration;
    const holder = this.#members.find((member) => member.name === name && member.id === id)?.addr;
    const own = this.#named(cluster, addr, name);
    const held = holder === undefined ? undefined : this.#named(cluster, holder, name);
    if (this.#fiveX && held && holder !== addr && held.stateVersion > registration.stateVersion) {
      if (own) this.#drop(own, false);
      return true;
    }
    if (this.#fiveX && holder === undefined && topics.length === 1) return false;
    const changed =
      own?.counter !== registration.counter ||
      (this.#fiveX && own.stateVersion !== registration.stateVersion) ||
      holder === undefined;
    if (!this.#listed.some((entry) => entry.cluster === cluster && entry.name === name)) {
      this.#listed.push({ cluster, name });
    }
    this.#members = this.#members.filter(
      (member) => member.name !== name || (member.id !== id && member.addr !== addr),
    );
    this.#members.push({ name, id, addr });
    this.#acting.set(name, this.#fiveX && registration.acting === true);
    this.#live = this.#live.filter((live) => live !== own);
    const { connection } = registration;
    this.#live.push({ ...registration, at: now, connections: [connection] });
    const ids = this.#members.filter((member) => member.name === name).map((member) => member.id);
    const isPrime = this.#fiveX && id !== 0 && registration.acting !== undefined && ids.every((other) => other >= id);
    if (id !== 0 && !isPrime) return true;
    for (const { topicName, perm } of topics) {
      const topic = topicName ?? '';
      const known = this.#queues.some((queue) => queue.topic === topic && queue.name === name);
      if (!changed && (known || !this.#fiveX)) continue;
      this.#queues = this.#queues.filter((queue) => queue.topic !== topic || queue.name !== name);
      this.#queues.push({ topic, name, perm: isPrime && registration.acting ? perm & ~2 : perm });
    }
    return true;
  }

  hear(cluster: string, addr: string, connection: number, now: number): void {
    const live = this.#live.findLast((entry) => entry.addr === addr && this.#sameCluster(entry, cluster));
    if (!live) return;
    const others = live.connections.slice(0, -1);
    const heard = live.connections.includes(connection) ? others : [...others, connection];
    const connections = [...heard, ...live.connections.slice(-1)];
    this.#live = this.#live.map((entry) => (entry === live ? { ...live, connections, at: now } : entry));
  }

  unregister(cluster: string, name: string, addr: string): void {
    const live =
      this.#named(cluster, addr, name) ?? this.#live.find((entry) => entry.addr === addr && entry.name === name);
    if (live) this.#drop(live);
  }

  close(connection: number): void {
    this.#live = this.#live.map((live) => ({
      ...live,
      connections: live.connections.filter((other) => other !== connection),
    }));
    for (const live of this.#live.filter((entry) => entry.connections.length === 0)) this.#drop(live);
  }

  scan(now: number): void {
    for (const live of this.#live.filter((entry) => now - entry.at > this.#timeoutMillis)) this.#drop(live);
  }

  changePerm(name: string, change: (perm: number) => number): void {
    this.#queues = this.#queues.map((queue) => (queue.name === name ? { ...queue, perm: change(queue.perm) } : queue));
  }

  deleteTopic(topic: string): void {
    this.#queues = this.#queues.filter((queue) => queue.topic !== topic);
  }

  /** Everything, each list in alphabetical order. */
  contents(): Contents {
    return sorted({
      live: this.#live.map(({ cluster, addr, name, id, at, connections }) =>
        [cluster, addr, name, id, at, ...connections].join(),
      ),
      members: this.#members.map(({ name, id, addr }) => [name, id, addr].join()),
      listed: this.#listed.map(({ cluster, name }) => [cluster, name].join()),
      queues: this.#queues.map(({ topic, name, perm }) => [topic, name, perm].join()),
    });
  }

  #sameCluster(live: ModelBroker, cluster: string): boolean {
    return live.cluster === cluster || !this.#fiveX;
  }

  #named(cluster: string, addr: string, name: string): ModelBroker | undefined {
    return this.#live.find((live) => live.addr === addr && live.name === name && this.#sameCluster(live, cluster));
  }

  #drop({ addr, name, ...live }: ModelBroker, wipes = true): void {
    this.#live = this.#live.filter(
      (entry) => entry.addr !== addr || entry.name !== name || !this.#sameCluster(entry, live.cluster),
    );
    if (this.#live.some((entry) => entry.addr === addr && entry.name === name)) return;
    const members = this.#members.filter((member) => member.name !== name || member.addr !== addr);
    if (members.length === this.#members.length) return;
    this.#members = members;
    const left = members.filter((member) => member.name === name);
    if (left.length === 0) {
      this.#listed = this.#listed.filter((entry) => entry.name !== name);
      this.#queues = this.#queues.filter((queue) => queue.name !== name);
      this.#acting.delete(name);
    } else if (wipes && this.#acting.get(name) && left.every((member) => member.id !== 0)) {
      this.changePerm(name, (perm) => perm & ~2);
    }
  }
}

/** The same of the real tables. */
export function contentsOf({ tables }: RouteInfoManager): Contents {
  const { topicQueueTable, brokerAddrTable, clusterAddrTable, brokerLiveTable } = tables;
  return sorted({
    live: [...brokerLiveTable.values()].map((live) =>
      [
        live.clusterName,
        live.brokerAddr,
        live.brokerName,
        live.brokerId,
        live.lastUpdateMillis,
        ...live.otherConnections,
        live.connection,
      ].join(),
    ),
    members: [...brokerAddrTable.entries()].flatMap(([name, group]) =>
      [...group.brokerAddrs].map(([id, addr]) => [name, id, addr].join()),
    ),
    listed: [...clusterAddrTable.entries()].flatMap(([cluster, names]) =>
      [...names].map((name) => [cluster, name].join()),
    ),
    queues: [...topicQueueTable.topics()].flatMap((topic) =>
      topicQueueTable.queuesOf(topic).map(({ brokerName, perm }) => [topic, brokerName, perm].join()),
    ),
  });
}

function sorted(lists: Contents): Contents {
  for (const list of Object.values(lists)) list.sort();
  return lists;
}
