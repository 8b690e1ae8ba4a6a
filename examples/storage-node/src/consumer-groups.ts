import { ResponseCode } from '@rmqns/protocol';
import { CommandError } from '@rmqns/remoting';

/** A client that consumes in a group. */
interface Member<Connection> {
  /** Where its last heartbeat came from. */
  readonly connection: Connection;
  /** When, on the monotonic clock. */
  readonly heartbeatMillis: number;
}

/** A client not heard of for so long is gone (upstream: `channelExpiredTimeout`). */
const EXPIRY_MILLIS = 120_000;
/** Upstream's limit for names of groups. */
const MAX_NAME_LENGTH = 255;

/**
 * Who consumes in which group (reference: storage-node 6.1 to 6.3; upstream: `ConsumerManager`). Clients divide the queues among
 * themselves by this; they are told when it changes. Methods give back the groups that have gained or lost a member.
 */
export class ConsumerGroups<Connection> {
  readonly #groups = new Map<string, Map<string, Member<Connection>>>();
  readonly #limit: number;
  #count = 0;

  /** @param limit how many members all groups together may have; those beyond it get no queues */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * A client says that it is there, and in which groups.
   *
   * @throws CommandError SYSTEM_ERROR when a name is too long to be kept
   */
  heartbeat(clientId: string, groups: readonly string[], connection: Connection, nowMillis: number): string[] {
    for (const name of [clientId, ...groups]) refuseLongName(name);
    const member: Member<Connection> = { connection, heartbeatMillis: nowMillis };
    return groups.filter((group) => this.#put(group, clientId, member));
  }

  /** A client leaves one group. */
  unregister(clientId: string, group: string): string[] {
    return this.#remove(group, (id) => id === clientId) ? [group] : [];
  }

  /** A connection has ended, and with it the clients last heard over it. */
  disconnect(connection: Connection): string[] {
    return this.#removeEverywhere((_, member) => member.connection === connection);
  }

  /** Drops clients whose connection stands but that no longer send heartbeats. */
  expire(nowMillis: number): string[] {
    return this.#removeEverywhere((_, member) => nowMillis - member.heartbeatMillis >= EXPIRY_MILLIS);
  }

  clientIds(group: string): string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])];
  }

  /** Where the members of a group can be told something. */
  connections(group: string): Set<Connection> {
    return new Set([...(this.#groups.get(group)?.values() ?? [])].map(({ connection }) => connection));
  }

  #put(group: string, clientId: string, member: Member<Connection>): boolean {
    const members = this.#groups.get(group);
    const isNew = members?.has(clientId) !== true;
    if (isNew && this.#count >= this.#limit) return false;
    if (isNew) this.#count++;
    if (members === undefined) this.#groups.set(group, new Map([[clientId, member]]));
    else members.set(clientId, member);
    return isNew;
  }

  #removeEverywhere(isGone: (clientId: string, member: Member<Connection>) => boolean): string[] {
    return [...this.#groups.keys()].filter((group) => this.#remove(group, isGone));
  }

  #remove(group: string, isGone: (clientId: string, member: Member<Connection>) => boolean): boolean {
    const members = this.#groups.get(group);
    if (members === undefined) return false;
    const before = members.size;
    for (const [clientId, member] of members) if (isGone(clientId, member)) members.delete(clientId);
    this.#count -= before - members.size;
    if (members.size === 0) this.#groups.delete(group);
    return members.size < before;
  }
}

/** @throws CommandError SYSTEM_ERROR for a name of a group or client that is too long to be kept */
export function refuseLongName(name: string): void {
  if (name.length > MAX_NAME_LENGTH)
    throw new CommandError(
      ResponseCode.SYSTEM_ERROR,
      `a name has ${name.length} characters; ${MAX_NAME_LENGTH} are allowed`,
    );
}
