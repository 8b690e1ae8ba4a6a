import type { Random } from '../random.js';
import { bodyChecksum, type RegistrationFields, V3_0_11, V5_0_0 } from '../registration-body.js';
import { edit, type Tree, textOf, tree } from './odd-body.js';
import { addOddCompressed } from './odd-compressed.js';
import { addWithOddField } from './odd-requests.js';
import { ODD_BODIES } from './odd-values.js';
import { type Fields, type Scene, VERSIONS } from './scene.js';

/** A registration as brokers send it. */
export function addRegistration(scene: Scene): void {
  const version = scene.fiveX ? 479 : 355;
  const fields = { ...scene.broker, compressed: 'false', bodyCrc32: '0', ...flags(scene.random) };
  scene.add(103, 'register', fields, jsonOf(registrationFields(scene), version), version);
}

/** A registration that no broker sends. */
export function addOddRegistration(scene: Scene): void {
  const { random } = scene;
  const registration = registrationFields(scene);
  const version = random.pick(VERSIONS);
  const base: Fields = { ...scene.broker, compressed: 'false', ...flags(random) };
  // In 4.x who leaves is told by the id (rule unregister-wrong-id).
  if (scene.fiveX && random.once(6)) base['brokerId'] = random.pick(['1', '2', '3']);
  random.weighted<() => void>([
    [3, () => addOddJson(scene, registration, version, base)],
    [1, () => addOddWhole(scene, version, base)],
    [1, () => addOddCompressed(scene, registration, jsonOf(registration, version), version, base)],
    [1, () => addOddChecksum(scene, jsonOf(registration, version), version, base)],
    [1, () => addWithOddField(scene, { code: 103, fields: base, body: jsonOf(registration, version), version })],
  ])();
}

function addOddJson(scene: Scene, registration: RegistrationFields, version: number, base: Fields): void {
  const notes: string[] = [];
  let body = treeOf(registration, version);
  for (let edits = 1 + scene.random.below(2); edits > 0; edits--) {
    const edited = edit(body, scene.random);
    // A name that has nothing of the scenario would be in the answers of others.
    if (/"(topicName|filterServerList)"(\[\d\])?: is/.test(edited.note)) continue;
    body = edited.tree;
    notes.push(edited.note);
  }
  scene.add(103, `register, JSON: ${notes.join('; ')}`, base, Buffer.from(textOf(body)), version);
}

function addOddWhole(scene: Scene, version: number, base: Fields): void {
  const body = scene.random.pick(ODD_BODIES);
  scene.add(103, `register, body ${JSON.stringify(body)}`, base, Buffer.from(body), version);
}

function addOddChecksum(scene: Scene, body: Buffer, version: number, base: Fields): void {
  const crc = bodyChecksum(body);
  const texts = [
    `${crc + 1}`,
    `${crc | 0}`,
    `+${crc}`,
    ` ${crc}`,
    `0${crc}`,
    `${crc + 2 ** 31}`,
    `-${crc}`,
    '-1',
    'x',
    '',
  ];
  const text = scene.random.pick([...texts, `${crc}.0`, `${crc}`]);
  const sent = scene.random.once(8) ? Buffer.alloc(0) : body;
  scene.add(103, `register, checksum ${text} for ${crc}`, { ...base, bodyCrc32: text }, sent, version);
}

function registrationFields({ random, topics, fiveX, brokerName }: Scene): RegistrationFields {
  const stateVersion = random.pick([undefined, 0, 1]);
  const [bound = ''] = topics;
  return {
    dataVersion: {
      timestamp: 1_700_000_000_000 + random.below(5),
      counter: random.below(5),
      ...(stateVersion === undefined ? {} : { stateVersion }),
    },
    // A first registration of one topic is refused in 5.x and leaves a trace (rule single-topic-first).
    topics: topics.slice(0, fiveX ? 2 + random.below(2) : 1 + random.below(3)).map((topicName) => ({
      topicName,
      readQueueNums: random.pick([4, 8]),
      writeQueueNums: 4,
      perm: random.pick([6, 6, 4, 2, 7]),
      topicSysFlag: random.below(4),
    })),
    mappings:
      fiveX && random.once(4)
        ? [{ topic: bound, bname: brokerName, totalQueues: 4, epoch: 3, currIdMap: { 0: 0, 1: 2 } }]
        : [],
    filterServerList: random.pick([undefined, [], ['f:1']]),
  };
}

function flags(random: Random): Fields {
  return {
    ...(random.once(3) ? { enableActingMaster: random.pick(['true', 'false']) } : {}),
    ...(random.once(3) ? { __ZONE_NAME: random.pick(['z1', 'Z1', '']) } : {}),
    ...(random.once(4) ? { heartbeatTimeoutMillis: '3600000' } : {}),
  };
}

function treeOf({ dataVersion, topics, mappings, filterServerList }: RegistrationFields, version: number): Tree {
  const ofFiveX = version >= V5_0_0;
  const table = topics.map((topic) => [
    topic.topicName,
    {
      ...(ofFiveX ? { attributes: { 'message.type': 'NORMAL' } } : {}),
      order: false,
      ...topic,
      topicFilterType: 'SINGLE_TAG',
    },
  ]);
  const infos = mappings.map((info) => [info.topic, { ...info, dirty: false, scope: '__global__' }]);
  const wrapper = {
    dataVersion,
    ...(ofFiveX ? { mappingDataVersion: { counter: 0, stateVersion: 0, timestamp: 5 } } : {}),
    topicConfigTable: Object.fromEntries(table),
    ...(ofFiveX ? { topicQueueMappingDetailMap: {}, topicQueueMappingInfoMap: Object.fromEntries(infos) } : {}),
  };
  if (version < V3_0_11) return tree(wrapper);
  return tree({
    ...(filterServerList === undefined ? {} : { filterServerList }),
    topicConfigSerializeWrapper: wrapper,
  });
}

function jsonOf(registration: RegistrationFields, version: number): Buffer {
  return Buffer.from(textOf(treeOf(registration, version)));
}
