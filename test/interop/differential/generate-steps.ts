import { isOptionOfRelease, namesrvOption, namesrvOptionNames } from '@rmqns/namesrv';
import type { ApacheVersion } from '@rmqns/test-kit';
import { createGroups, type Group, holderOf, type Member } from './broker-model.js';
import { Random } from './random.js';
import { editRegistration, randomBrokerVersion, randomRegistration, TOPICS } from './random-registration.js';
import {
  bodyChecksum,
  compressedBody,
  jsonBody,
  oddJsonBody,
  type RegistrationFields,
  V3_0_11,
  V5_0_0,
} from './registration-body.js';
import { isRequest, type RequestStep, type Step } from './step.js';

// What is not asked, since ours differs on purpose and the tables would differ ever after (rules of docs/compatibility.json):
// - many-brokers-one-connection, heard-elsewhere, strangers-heartbeat: a broker has a connection of its own, and is heard on no other;
// - register-without-field, empty-names, half-surrogate-pair, topic-without-name, null-topic-table: no such registrations;
// - single-topic-first: one topic only where the id is taken;
// - one-address-two-names, one-address-two-clusters: an address has one group;
// - group-in-two-clusters: who registers in two clusters never leaves;
// - unregister-foreign-address, unregister-wrong-id, unregister-wrong-name, unregister-wrong-cluster: in 4.x;
// - unknown-code, newer-codes-in-4x: 4.x is asked what it knows;
// - deflated-but-called-uncompressed, attributes-compressed-4x: a body is what its header says, and of the server's generation;
// - kv-put-without-key, binary-empty-value: in 4.7.1.

const NAMESPACES = ['ORDER_TOPIC_CONFIG', 'NS', '名 "x"'] as const;
const ZONES = ['z1', 'Z1', 'zone 2'] as const;
/** Settings that take effect at once; the first is there in every release. */
const LIVE_KEYS = [
  'orderMessageEnable',
  'supportActingMaster',
  'enableTopicList',
  'enableAllTopicList',
  'returnOrderTopicConfigToBroker',
  'deleteTopicWithBrokerRegistration',
] as const;
/** Numbers that every setting takes that is one, and what is none. */
const SETTING_TEXTS = ['true', 'false', 'TRUE', 'yes', '7', '+7', '007', '1.5', 'x', 'a b', 'a\\\n  b', ''] as const;
/** What is refused (rules controller, config-paths), or would end the comparison. */
const NOT_TRIED = new Set([
  ...['enableControllerInNamesrv', 'rocketmqHome', 'kvConfigPath', 'configStorePath', 'configBlackList'],
  ...['needWaitForService', 'waitSecondsForService', 'listenPort'],
  // Brokers that nobody can reach would be told, which Apache waits for while it works unregistrations off.
  'notifyMinBrokerIdChanged',
]);
const CLIENT_VERSIONS = [0, 63, 121, 317, 355, 400, 401, 407, 413, 479, 612, 700] as const;
/** Connections of those who are no broker. */
const CLIENTS = 3;

/** Makes the steps of one seed for one release. */
export function generateSteps(version: ApacheVersion, seed: number, count: number): Step[] {
  const generator = new Generator(version, new Random(seed));
  const steps: Step[] = [];
  while (steps.length < count) steps.push(...generator.next());
  const all = [...steps.slice(0, count), ...generator.last()];
  return version === '4.7.1' ? all.map(withoutEmptyBinaryValues) : all;
}

function withoutEmptyBinaryValues(step: Step): Step {
  if (!isRequest(step) || step.style !== 'ROCKETMQ') return step;
  return Object.values(step.extFields ?? {}).includes('') ? { ...step, style: 'JSON' } : step;
}

class Generator {
  readonly #random: Random;
  readonly #fiveX: boolean;
  readonly #version: ApacheVersion;
  readonly #groups: readonly Group[] = createGroups();
  /** All of the release. */
  readonly #settings: readonly string[];
  #lastConn = CLIENTS;
  #clock = 1_700_000_000_000;

  constructor(version: ApacheVersion, random: Random) {
    this.#version = version;
    this.#fiveX = version === '5.3.3';
    this.#random = random;
    this.#settings = namesrvOptionNames.filter((name) => {
      const row = namesrvOption(name);
      return row !== undefined && isOptionOfRelease(row, version) && !NOT_TRIED.has(name);
    });
  }

  next(): Step[] {
    const make = this.#random.weighted<() => Step[]>([
      [22, () => this.#register()],
      [5, () => this.#unregister()],
      [4, () => this.#close()],
      [this.#fiveX ? 1 : 0, () => this.#expire()],
      [6, () => this.#queryDataVersion()],
      [this.#fiveX ? 3 : 0, () => this.#heartbeat()],
      [26, () => [this.#lookup(this.#random.pick(TOPICS))]],
      [4, () => [this.#client(106)]],
      [5, () => [this.#list()]],
      [this.#fiveX ? 3 : 0, () => [this.#memberGroup(this.#random.pick(this.#groups))]],
      [5, () => [this.#writePerm()]],
      [3, () => [this.#deleteTopic()]],
      [this.#fiveX ? 3 : 0, () => [this.#registerTopic()]],
      [9, () => [this.#kv()]],
      [this.#fiveX ? 1 : 0, () => [this.#client(this.#random.pick([999, 9999, 32_000, 50]))]],
      [1, () => [this.#withoutFields()]],
      [3, () => [this.#config()]],
      [this.#fiveX ? 1 : 0, () => this.#waitForService()],
    ]);
    return make();
  }

  /** Looks at everything once. */
  last(): Step[] {
    const steps: Step[] = [106, 206, 304, 311, 312, 313].map((code) => this.#plain(code, {}));
    for (const topic of TOPICS) {
      steps.push(this.#plain(105, { topic }, 355), this.#plain(105, { topic }));
      if (this.#fiveX) steps.push(this.#plain(105, { topic, __ZONE_MODE: 'true', __ZONE_NAME: 'z1' }));
    }
    for (const namespace of NAMESPACES) steps.push(this.#plain(219, { namespace }));
    for (const { cluster, name } of this.#groups) {
      steps.push(this.#plain(224, { cluster }));
      if (this.#fiveX) steps.push(this.#plain(901, { clusterName: cluster, brokerName: name }));
    }
    return steps;
  }

  #plain(code: number, extFields: Readonly<Record<string, string>>, version = 479): RequestStep {
    return { conn: 0, code, extFields, version, style: 'JSON' };
  }

  #client(code: number, extFields: Readonly<Record<string, string>> | null = null): RequestStep {
    return {
      conn: this.#random.below(CLIENTS),
      code,
      extFields: extFields === null && this.#random.once(3) ? {} : extFields,
      version: this.#random.pick(CLIENT_VERSIONS),
      style: this.#style(),
    };
  }

  #style(): RequestStep['style'] {
    return this.#random.weighted([
      [8, 'JSON'],
      [2, 'ROCKETMQ'],
      [1, 'lenient'],
    ] as const);
  }

  // ---- brokers

  #member(accept: (member: Member) => boolean = () => true): Member | undefined {
    const members = this.#groups.flatMap(({ members }) => members).filter(accept);
    return members.length === 0 ? undefined : this.#random.pick(members);
  }

  #register(): Step[] {
    const random = this.#random;
    const member = this.#member(({ registered }) => registered || random.once(3)) ?? this.#member();
    if (member === undefined) return [];
    const { group } = member;
    const switched = member.registered && member.brokerId === '1' && !this.#held(group, '0') && random.once(6);
    const brokerId = switched ? '0' : member.brokerId;
    const holder = holderOf(group, brokerId);
    const replaces = holder !== undefined && holder !== member;
    const known = group.members.some(({ registered }) => registered);
    // Now and then it comes back on another connection, before the old one has closed.
    const before = member.conn;
    const moves = before === undefined || (mayLeave(group) && random.once(12));
    if (moves) member.conn = this.#newConn();

    const changed = member.ghost || replaces || random.once(2);
    if (changed) member.version = this.#nextVersion(member);
    if (!(known && (replaces || switched))) group.flags = this.#flags();
    const stale = this.#fiveX && replaces && stateOf(holder) > stateOf(member);
    // A first registration of one topic is refused and leaves a trace, but in a group that is there.
    const oneTopicWillDo = !this.#fiveX || (holder !== undefined && !switched);
    const made = this.#registration(member, brokerId, oneTopicWillDo);
    // Seen to be done by its new version, so that the answer is not needed.
    const oneway = changed && !stale && made.bodyBase64 === undefined && isStrict(made.body) && random.once(6);
    const registration: RequestStep = oneway ? { ...made, oneway } : made;
    if (stale) {
      member.registered = false;
      member.ghost = true;
    } else {
      if (replaces) holder.registered = false;
      member.registered = true;
      member.ghost = false;
      member.brokerId = brokerId;
    }
    return moves && before !== undefined ? [registration, { close: before }] : [registration];
  }

  #held(group: Group, brokerId: string): boolean {
    return holderOf(group, brokerId) !== undefined;
  }

  #registration(member: Member, brokerId: string, oneTopicWillDo: boolean): RequestStep {
    const random = this.#random;
    const { group } = member;
    const again = random.once(3) ? undefined : member.said;
    const version =
      again !== undefined && !(member.ghost && again.version < V3_0_11)
        ? again.version
        : randomBrokerVersion(random, { fiveX: this.#fiveX, isGhost: member.ghost });
    const edited =
      again === undefined
        ? randomRegistration(random, member, { fiveX: this.#fiveX, version, oneTopicWillDo, nowMillis: this.#clock })
        : editRegistration(again.fields, random, oneTopicWillDo);
    const fields: RegistrationFields = {
      ...edited,
      dataVersion: member.version,
      // A list that is left alone shows what Apache kept of a ghost.
      filterServerList: edited.filterServerList === null && member.ghost ? [] : edited.filterServerList,
    };
    member.said = { fields, version };
    const compressed = version >= V3_0_11 && (this.#fiveX || version < V5_0_0) && random.once(5);
    const body = compressed
      ? compressedBody(fields, version)
      : Buffer.from(random.once(4) ? oddJsonBody(fields, version, random) : jsonBody(fields, version));
    const checksum = random.weighted<string | undefined>([
      [8, String(bodyChecksum(body))],
      [2, '0'],
      [1, undefined],
      [1, 'none'],
    ]);
    const { zoneName, enableActingMaster } = group.flags;
    const extFields: Record<string, string> = {
      brokerName: group.name,
      brokerAddr: member.addr,
      clusterName: group.secondCluster !== undefined && random.once(2) ? group.secondCluster : group.cluster,
      brokerId: random.once(12) && !brokerId.startsWith('-') ? `+${brokerId}` : brokerId,
      compressed: compressed && random.once(2) ? 'TRUE' : String(compressed),
      ...(random.once(8) ? {} : { haServerAddr: member.addr.replace(':10911', ':10912') }),
      ...(checksum === undefined ? {} : { bodyCrc32: checksum }),
      ...(zoneName === undefined ? {} : { __ZONE_NAME: zoneName }),
      ...(enableActingMaster === undefined ? {} : { enableActingMaster }),
      ...(random.once(3) ? { heartbeatTimeoutMillis: '3600000' } : {}),
    };
    const conn = member.conn ?? 0;
    return compressed
      ? { conn, code: 103, extFields, bodyBase64: body.toString('base64'), version, style: this.#style() }
      : { conn, code: 103, extFields, body: body.toString('utf8'), version, style: this.#style() };
  }

  #flags(): Group['flags'] {
    const zoneName = this.#random.pick([undefined, undefined, ...ZONES]);
    const enableActingMaster = this.#random.pick([undefined, 'true', 'true', 'false']);
    return {
      ...(zoneName === undefined ? {} : { zoneName }),
      ...(enableActingMaster === undefined ? {} : { enableActingMaster }),
    };
  }

  #nextVersion({ version, group }: Member): Member['version'] {
    this.#clock += 1000;
    const random = this.#random;
    const timestamp = random.once(4) ? version.timestamp - 5_000 : this.#clock;
    // Who loses by it is told cluster by cluster, and leaves traces (rules stale-version-flags, stale-version-second-cluster).
    const stateVersion = group.secondCluster === undefined ? random.pick([undefined, 0, 1, 2]) : undefined;
    return {
      timestamp,
      counter: version.counter + random.pick([1, 1, 5, -1]),
      ...(stateVersion === undefined ? {} : { stateVersion }),
    };
  }

  #newConn(): number {
    this.#lastConn += 1;
    return this.#lastConn;
  }

  #unregister(): Step[] {
    const random = this.#random;
    const unknown = { brokerName: 'no-such', brokerAddr: '10.9.0.1:10911', clusterName: 'C1', brokerId: '0' };
    if (random.once(5)) return [this.#client(104, unknown)];
    const member = this.#member(({ registered, conn, group }) => registered && conn !== undefined && mayLeave(group));
    if (member === undefined) return [];
    member.registered = false;
    member.ghost = false;
    const brokerId = this.#fiveX && random.once(4) ? '7' : member.brokerId;
    const { name: brokerName, cluster: clusterName } = member.group;
    const extFields = { brokerName, brokerAddr: member.addr, clusterName, brokerId };
    return [{ conn: member.conn ?? 0, code: 104, extFields, version: 479, style: this.#style() }];
  }

  #close(): Step[] {
    const member = this.#member(({ conn, group }) => conn !== undefined && mayLeave(group));
    if (member?.conn === undefined) return [];
    const step = { close: member.conn };
    member.conn = undefined;
    if (!member.registered) member.ghost = true;
    member.registered = false;
    return [step];
  }

  /** It registers once more, to be silent for no time at all. */
  #expire(): Step[] {
    const member = this.#member(({ registered, conn, group }) => registered && conn !== undefined && mayLeave(group));
    if (member?.conn === undefined) return [];
    member.version = this.#nextVersion(member);
    const { conn, addr } = member;
    const registration = this.#registration(member, member.brokerId, true);
    member.conn = undefined;
    member.registered = false;
    return [
      { ...registration, extFields: { ...registration.extFields, heartbeatTimeoutMillis: '1' } },
      { expire: addr, conn },
    ];
  }

  #queryDataVersion(): Step[] {
    const random = this.#random;
    const member = this.#member(({ ghost, conn }) => !ghost && conn !== undefined);
    const body = random.weighted<string | undefined>([
      [6, JSON.stringify(member?.version ?? { counter: 1, timestamp: 1 })],
      [2, '{"counter":9,"timestamp":1700000000009}'],
      [1, undefined],
      [1, '{"counter":"1","timestamp":"1700000000000","state_version":0,"what":[]}'],
      [1, 'not json'],
      [1, 'null'],
    ]);
    const known = member !== undefined && !random.once(6);
    const extFields: Record<string, string> = {
      brokerName: known ? member.group.name : 'no-such',
      brokerAddr: known ? member.addr : '10.9.0.2:10911',
      clusterName: known ? member.group.cluster : 'C1',
      brokerId: '0',
    };
    const conn = known ? (member.conn ?? 0) : random.below(CLIENTS);
    const oneway = random.once(8) ? { oneway: true as const } : {};
    return [
      {
        conn,
        code: 322,
        extFields,
        ...(body === undefined ? {} : { body }),
        version: random.pick([355, 407, 479]),
        style: this.#style(),
        ...oneway,
      },
    ];
  }

  #heartbeat(): Step[] {
    const member = this.#member(({ ghost, conn }) => !ghost && conn !== undefined);
    if (member === undefined || this.#random.once(4)) {
      return [this.#client(904, { clusterName: 'C1', brokerName: 'no-such', brokerAddr: '10.9.0.3:10911' })];
    }
    const { cluster: clusterName, name: brokerName } = member.group;
    const extFields = { clusterName, brokerName, brokerAddr: member.addr, brokerId: member.brokerId };
    const oneway = this.#random.once(2) ? { oneway: true as const } : {};
    return [{ conn: member.conn ?? 0, code: 904, extFields, version: 479, style: this.#style(), ...oneway }];
  }

  // ---- everybody else

  #lookup(topic: string): RequestStep {
    const random = this.#random;
    const extFields: Record<string, string> = random.once(40) ? {} : { topic };
    if (random.once(5)) extFields['acceptStandardJsonOnly'] = random.pick(['true', 'false', 'TRUE', 'yes']);
    if (random.once(5)) {
      extFields['__ZONE_MODE'] = random.pick(['true', 'True', 'false']);
      if (!random.once(5)) extFields['__ZONE_NAME'] = random.pick([...ZONES, 'nowhere', ' ', '']);
    }
    if (random.once(10)) extFields['ns'] = 'some-namespace';
    return this.#client(105, extFields);
  }

  #list(): RequestStep {
    const code = this.#random.pick([206, 224, 224, 304, 311, 312, 313]);
    if (code !== 224) return this.#client(code);
    const cluster = this.#random.pick([...this.#groups.map((group) => group.cluster), 'no-such', undefined]);
    return this.#client(code, cluster === undefined ? {} : { cluster });
  }

  #memberGroup({ cluster, name }: Group): RequestStep {
    const random = this.#random;
    const extFields: Record<string, string> = {
      clusterName: random.once(4) ? 'other' : cluster,
      brokerName: random.once(5) ? 'no-such' : name,
    };
    return this.#client(901, extFields);
  }

  #writePerm(): RequestStep {
    const code = this.#version === '4.7.1' ? 205 : this.#random.pick([205, 327]);
    const brokerName = this.#random.pick([...this.#groups.map(({ name }) => name), 'no-such', undefined]);
    return this.#client(code, brokerName === undefined ? {} : { brokerName });
  }

  #deleteTopic(): RequestStep {
    const random = this.#random;
    const extFields: Record<string, string> = { topic: random.pick([...TOPICS, 'no-such']) };
    if (random.once(2)) extFields['clusterName'] = random.pick(['C1', 'C2', 'no-such', '']);
    if (random.once(20)) delete extFields['topic'];
    return this.#client(216, extFields);
  }

  #registerTopic(): RequestStep {
    const random = this.#random;
    const names = random.some([...this.#groups.map(({ name }) => name), 'no-such'], 3);
    const queueDatas = names.map((brokerName) => ({
      brokerName,
      perm: random.pick([6, 4, 0]),
      readQueueNums: random.pick([3, 9]),
      topicSysFlag: random.pick([0, 1]),
      writeQueueNums: 3,
    }));
    const body = random.weighted<string | undefined>([
      [10, JSON.stringify({ queueDatas, brokerDatas: [], filterServerTable: {} })],
      [1, '{}'],
      [1, undefined],
      [1, 'not json'],
    ]);
    return {
      ...this.#client(217, { topic: random.pick([...TOPICS, 'registered-alone']) }),
      ...(body === undefined ? {} : { body }),
    };
  }

  #kv(): RequestStep {
    const random = this.#random;
    const namespace = random.pick([...NAMESPACES, ...NAMESPACES, 'no-such']);
    const key = random.pick([...TOPICS.slice(0, 6), 'key "q" 值', 'no-such']);
    const value = random.pick(['broker-a:4', 'broker-a:4;broker-b:8', 'välue 值 "x"\n', '']);
    const code = random.weighted([
      [5, 100],
      [4, 101],
      [3, 102],
      [3, 219],
    ] as const);
    // Null as a namespace or a key would stay in 4.7.1 for good.
    const complete = this.#version === '4.7.1' && code === 100;
    const extFields: Record<string, string> = {};
    if (complete || !random.once(15)) extFields['namespace'] = namespace;
    if (code !== 219 && (complete || !random.once(15))) extFields['key'] = key;
    if (code === 100 && !random.once(10)) extFields['value'] = value;
    return this.#client(code, extFields);
  }

  #config(): RequestStep {
    const random = this.#random;
    if (random.once(3)) return this.#client(319);
    const live = this.#fiveX ? LIVE_KEYS : LIVE_KEYS.slice(0, 1);
    const lines = random.some(live, 2).map((key) => {
      const value = random.pick(['true', 'false', 'false', ' TRUE ', 'yes', '']);
      return `${key}${random.pick(['=', ' = ', ': ', ' '])}${value}`;
    });
    const odd = [
      'productEnvName=a \\u00fc\\\n  b',
      'noSuchKey=1',
      '# note',
      '! note',
      '',
      'listenPort=abc',
      'bad=\\u12',
    ];
    // What 4.7.1 lets a peer do to files ours does not (rule config-paths).
    if (this.#version !== '4.7.1') odd.push('kvConfigPath=/nowhere/kv.json', 'configStorePath=/nowhere/x');
    if (random.once(3)) lines.push(random.pick(odd));
    if (random.once(3)) lines.push(`${random.pick(this.#settings)}=${random.pick(SETTING_TEXTS)}`);
    return { ...this.#client(318), body: lines.map((line) => `${line}\n`).join('') };
  }

  /** A server that is not ready answers everything but routes. */
  #waitForService(): Step[] {
    const wait = (value: string): RequestStep => ({ ...this.#client(318), body: `needWaitForService=${value}\n` });
    return [wait('true'), this.#lookup(this.#random.pick(TOPICS)), this.#client(106), wait('false')];
  }

  /** Requests without what they need, which change nothing. */
  #withoutFields(): RequestStep {
    const random = this.#random;
    const code = random.pick(this.#fiveX ? [103, 104, 322, 904] : [103, 104]);
    if (code === 103) return this.#client(103, random.pick([null, { brokerName: 'broker-a', brokerAddr: 'x:1' }]));
    if (code === 104) {
      return this.#client(104, { brokerName: 'broker-a', brokerAddr: '10.9.0.4:10911', clusterName: 'C1' });
    }
    return this.#client(code, random.pick([{ brokerAddr: '10.9.0.4:10911' }, { clusterName: 'C1' }, {}]));
  }
}

/** Whether our answers and Apache's stay the same when a member leaves. */
function mayLeave({ secondCluster }: Group): boolean {
  return secondCluster === undefined;
}

/** Whether a registration can be read by any reader of JSON, and has a data version where brokers of today have it. */
function isStrict(body: string | undefined): boolean {
  try {
    return 'topicConfigSerializeWrapper' in (JSON.parse(body ?? '') as object);
  } catch {
    return false;
  }
}

function stateOf({ version }: Member): number {
  return version.stateVersion ?? 0;
}
