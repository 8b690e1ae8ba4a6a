import type { RegistrationFields, VersionFields } from './registration-body.js';

/** One address of one group, as the generator of steps believes it to be. */
export interface Member {
  readonly group: Group;
  readonly addr: string;
  /** The id that it registers under; a slave may become master. */
  brokerId: string;
  version: VersionFields;
  /** What its last registration said, and the version of that request. */
  said?: { readonly fields: RegistrationFields; readonly version: number };
  /** The connection that its last registration went over; undefined before the first, and when that closed. */
  conn: number | undefined;
  /** Whether the group shows this address. */
  registered: boolean;
  /**
   * Another address took its id, and then its connection closed, or it lost a conflict: Apache's 5.3.3 keeps an entry or filter servers for
   * it that nothing removes (rule replaced-address), until it registers again with another version and a list.
   */
  ghost: boolean;
}

/** A broker group. */
export interface Group {
  readonly cluster: string;
  readonly name: string;
  readonly members: readonly Member[];
  /** A second cluster under which its members register, too; they never leave, for then ours and Apache's differ (rule group-in-two-clusters). */
  readonly secondCluster?: string;
  /** What its last registration said of the whole group. */
  flags: { readonly zoneName?: string; readonly enableActingMaster?: string };
}

const CLUSTERS = ['C1', 'C2', 'Größe-集群'] as const;
const NAMES = ['broker-a', 'broker-b', 'raw-empty', 'b "c" d', 'брокер-7', 'odd', 'wanders'] as const;
/** Beyond what a double holds, and of either sign. */
const ODD_IDS = ['9007199254740993', '-1', '-9223372036854775808', '9223372036854775807'] as const;

/** Groups of which nothing is registered yet: ids 0 to 3, and two addresses for each of the first two; or odd ids. */
export function createGroups(): Group[] {
  return NAMES.map((name, index) => {
    const members: Member[] = [];
    const group: Group = {
      cluster: CLUSTERS[index % CLUSTERS.length] ?? 'C1',
      name,
      members,
      ...(name === 'wanders' ? { secondCluster: 'C2' } : {}),
      flags: {},
    };
    const add = (brokerId: string, host: number): void => {
      members.push({
        group,
        addr: `10.0.${index}.${host}:10911`,
        brokerId,
        version: { timestamp: 1_700_000_000_000, counter: 1 },
        conn: undefined,
        registered: false,
        ghost: false,
      });
    };
    if (name === 'odd') {
      for (const [at, id] of ODD_IDS.entries()) add(id, at + 1);
    } else if (name === 'wanders') {
      add('0', 1);
      add('1', 2);
    } else {
      for (const id of [0, 1, 2, 3]) add(String(id), id + 1);
      add('0', 11);
      add('1', 12);
    }
    return group;
  });
}

/** Who is shown under an id of a group. */
export function holderOf(group: Group, brokerId: string): Member | undefined {
  return group.members.find((member) => member.registered && member.brokerId === brokerId);
}
