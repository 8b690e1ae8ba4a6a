import { edit, type Tree, textOf, tree } from './odd-body.js';
import type { RawMember } from './odd-step.js';
import { ODD_BODIES, oddRaw, oddText } from './odd-values.js';
import { type Fields, type Scene, VERSIONS } from './scene.js';

/** A request as it should be. */
export interface SoundRequest {
  readonly code: number;
  readonly fields: Fields;
  readonly body: Buffer;
  readonly version: number;
}

/** One of the requests that there are, about the names of the scene. */
export function soundRequest(scene: Scene): SoundRequest {
  const { random, namespace, brokerName, brokerAddr, cluster, broker } = scene;
  const topic = random.pick(scene.topics);
  const key = random.pick(['k', 'é"k', topic]);
  const zone = { __ZONE_MODE: 'true', __ZONE_NAME: 'z1' };
  const value = random.pick(['v', 'é😀"\\\n', '{"a":1}']);
  const standard = { acceptStandardJsonOnly: 'true' };
  const requests: readonly (readonly [code: number, fields: Fields, body?: unknown])[] = [
    [100, { namespace, key, value }],
    [101, { namespace, key }],
    [102, { namespace, key }],
    [219, { namespace }],
    [104, broker],
    [105, { topic, ...(random.once(3) ? standard : {}), ...(random.once(3) ? zone : {}) }],
    [105, { topic, ...standard, ...zone }],
    [205, { brokerName }],
    [224, { cluster }],
    [216, { topic, ...(random.once(2) ? { clusterName: cluster } : {}) }],
    [322, broker, DATA_VERSION],
    ...(scene.version === '4.7.1' ? [] : ([[327, { brokerName }]] as const)),
    ...(scene.fiveX
      ? ([
          [901, { clusterName: cluster, brokerName }],
          [904, { clusterName: cluster, brokerName, brokerAddr, brokerId: '0', epoch: '1', maxOffset: '1' }],
          [217, { topic }, queuesOn(brokerName)],
        ] as const)
      : []),
  ];
  const [code, fields, body] = random.pick(requests);
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  return { code, fields, body: bytes, version: random.pick(VERSIONS) };
}

const DATA_VERSION = { counter: 1, stateVersion: 0, timestamp: 1_700_000_000_000 } as const;

function queuesOn(brokerName: string): unknown {
  const queues = { brokerName, perm: 6, readQueueNums: 3, topicSysFlag: 0, writeQueueNums: 3 };
  return { brokerDatas: [], filterServerTable: {}, queueDatas: [queues] };
}

const NOBODYS_FIELDS = [
  ...['lo', 'ns', 'nsd', 'bname', 'oway', 'nobodyKnows', '', 'brokerRole', 'epoch'],
  ...['__ZONE_MODE', 'acceptStandardJsonOnly', 'enableActingMaster'],
] as const;

/** What must stay, for without it, or with another, the tables differ by rule, or the answer is about other scenarios. */
function keptFields({ fiveX, version }: Scene, code: number, fields: Fields): readonly string[] {
  if (code === 103) return ['brokerName', 'brokerAddr', 'clusterName', ...(fiveX ? [] : ['brokerId'])];
  if (code === 104) return fiveX ? ['brokerName', 'brokerAddr', 'clusterName'] : Object.keys(fields);
  if (code === 100 && version === '4.7.1') return ['namespace', 'key'];
  return code === 105 || code === 217 ? ['topic'] : [];
}

/** A request of which one field is odd, missing, of another name, or too much. */
export function addWithOddField(scene: Scene, request: SoundRequest): void {
  const { random } = scene;
  const { code, fields, body, version } = request;
  const members: RawMember[] = Object.entries(fields).map(([name, value]) => [
    JSON.stringify(name),
    JSON.stringify(value),
  ]);
  const kept = keptFields(scene, code, fields);
  const open = Object.keys(fields).filter((name) => !kept.includes(name));
  const name = open.length === 0 ? undefined : random.pick(open);
  const at = Math.max(0, Object.keys(fields).indexOf(name ?? ''));
  const binary = random.once(4);
  const value = binary ? JSON.stringify(oddText(random)) : oddRaw(random);
  const raw = JSON.stringify(name);
  const extra = random.pick(NOBODYS_FIELDS);
  // What has no field that may be changed gets one too many.
  const [note, changed] = random.weighted<readonly [string, readonly RawMember[]]>([
    [2, [`with ${extra}=${value}`, [...members, [JSON.stringify(extra), value]]]],
    [1, ['in reverse', members.toReversed()]],
    [name === undefined ? 0 : 4, [`${name}=${value}`, members.with(at, [raw, value])]],
    [name === undefined ? 0 : 1, [`without ${name}`, members.toSpliced(at, 1)]],
    [name === undefined || code === 103 ? 0 : 1, renamed(scene, members, at)],
  ]);
  scene.addMembers({ code, note, version, members: changed, body }, binary);
}

function renamed(
  { random }: Scene,
  members: readonly RawMember[],
  at: number,
): readonly [string, readonly RawMember[]] {
  const [raw, value] = members[at] ?? ['""', '""'];
  const name = JSON.parse(raw) as string;
  const other = random.pick([name.toUpperCase(), name.toLowerCase(), `${name} `, name.replace(/[A-Z]/, '_$&')]);
  return [`${name} is ${other}`, members.with(at, [JSON.stringify(other), value])];
}

/** A request with a body that is odd, or that has none otherwise. */
export function addWithOddBody(scene: Scene): void {
  const { random, brokerName, namespace, cluster } = scene;
  const [topic = ''] = scene.topics;
  const code = random.pick(scene.fiveX ? [322, 217, 322, 217, 105, 106, 205, 219] : [322, 322, 105, 106, 205, 219]);
  const [fields, body]: readonly [Fields, Tree] =
    code === 322
      ? [scene.broker, tree(DATA_VERSION)]
      : code === 217
        ? [{ topic }, tree(queuesOn(brokerName))]
        : [{ topic, brokerName, namespace, cluster }, tree({ a: 1 })];
  const version = random.pick(VERSIONS);
  if (random.once(3)) {
    const text = random.pick(ODD_BODIES);
    scene.add(code, `body ${JSON.stringify(text)}`, fields, Buffer.from(text), version);
    return;
  }
  const edited = edit(body, random);
  scene.add(code, `body ${edited.note}`, fields, Buffer.from(textOf(edited.tree)), version);
}
