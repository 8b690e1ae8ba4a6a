import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './random.js';

export interface TopicFields {
  /** Under which it stands in JSON, where that is not its name. */
  readonly key?: string;
  readonly topicName: string;
  readonly readQueueNums: number;
  readonly writeQueueNums: number;
  readonly perm: number;
  readonly topicSysFlag: number;
}

export interface VersionFields {
  readonly timestamp: number;
  readonly counter: number;
  readonly stateVersion?: number;
}

export interface MappingFields {
  readonly topic: string;
  readonly bname: string;
  readonly totalQueues: number;
  readonly epoch: number;
  readonly currIdMap: Readonly<Record<number, number>>;
}

export interface RegistrationFields {
  readonly dataVersion: VersionFields;
  readonly topics: readonly TopicFields[];
  readonly mappings: readonly MappingFields[];
  /** When a broker of 5.x sent it, which differs each time; absent as in other releases. */
  readonly stamp?: number | undefined;
  /** `undefined`: not said. */
  readonly filterServerList: readonly string[] | null | undefined;
}

/** The first release whose brokers send a registration with filter servers; before it the body is the topic table alone. */
export const V3_0_11 = 37;
export const V5_0_0 = 413;

/** A registration as JSON, as brokers of this version write it. */
export function jsonBody(fields: RegistrationFields, version: number): string {
  const wrapper = wrapperOf(fields, version);
  if (version < V3_0_11) return wrapper;
  const { filterServerList } = fields;
  const filters = filterServerList === undefined ? '' : `"filterServerList":${JSON.stringify(filterServerList)},`;
  return `{${filters}"topicConfigSerializeWrapper":${wrapper}}`;
}

/** The same registration with values that fastjson turns into what they should be. */
export function oddJsonBody(fields: RegistrationFields, version: number, random: Random): string {
  return jsonBody(fields, version).replace(/"(perm|readQueueNums|topicSysFlag)":(\d+)/g, (whole, name, digits) =>
    random.pick([
      whole,
      `"${name}":"${digits}"`,
      `${name}:${digits}`,
      `'${name}':${digits}.9`,
      `"${String(name).toUpperCase()}":${digits}`,
      `"nobodyKnows":{"a":[1,2,{}]},"${name}":${digits}`,
    ]),
  );
}

function wrapperOf({ dataVersion, topics, mappings, stamp }: RegistrationFields, version: number): string {
  const table = topics.map((topic) => `${JSON.stringify(topic.key ?? topic.topicName)}:${topicJson(topic, version)}`);
  const beans = [`"dataVersion":${versionJson(dataVersion)}`, `"topicConfigTable":{${table.join()}}`];
  if (stamp !== undefined) {
    beans.splice(1, 0, `"mappingDataVersion":${versionJson({ timestamp: stamp, counter: 0, stateVersion: 0 })}`);
  }
  if (version >= V5_0_0) {
    const infos = mappings.map((info) => `${JSON.stringify(info.topic)}:${mappingJson(info)}`);
    beans.push('"topicQueueMappingDetailMap":{}', `"topicQueueMappingInfoMap":{${infos.join()}}`);
  }
  return `{${beans.join()}}`;
}

/** Its members in the order in which brokers write them. */
function versionJson({ counter, stateVersion, timestamp }: VersionFields): string {
  return JSON.stringify({ counter, stateVersion, timestamp });
}

function topicJson({ key: _, ...topic }: TopicFields, version: number): string {
  return JSON.stringify({
    ...(version >= V5_0_0 ? { attributes: { 'message.type': 'NORMAL' } } : {}),
    order: false,
    topicFilterType: 'SINGLE_TAG',
    ...topic,
  });
}

function mappingJson({ topic, bname, totalQueues, epoch, currIdMap }: MappingFields): string {
  const ids = Object.entries(currIdMap).map((pair) => pair.join(':'));
  const names = [JSON.stringify(bname), JSON.stringify(topic)] as const;
  return `{"bname":${names[0]},"currIdMap":{${ids.join()}},"dirty":false,"epoch":${epoch},"scope":"__global__","topic":${names[1]},"totalQueues":${totalQueues}}`;
}

/** A registration deflated, in the layout of this version (reference: nameserver 2.5.2). */
export function compressedBody(fields: RegistrationFields, version: number): Buffer {
  const parts: Buffer[] = [];
  const count = (value: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    parts.push(bytes);
  };
  const text = (value: string): void => {
    const bytes = Buffer.from(value, 'utf8');
    count(bytes.length);
    parts.push(bytes);
  };
  text(JSON.stringify(fields.dataVersion));
  count(fields.topics.length);
  for (const { topicName, readQueueNums, writeQueueNums, perm } of fields.topics) {
    const attributes = version >= V5_0_0 ? ' {"message.type":"NORMAL"}' : '';
    text(`${topicName} ${readQueueNums} ${writeQueueNums} ${perm} SINGLE_TAG${attributes}`);
  }
  text(JSON.stringify(fields.filterServerList ?? []));
  if (version >= V5_0_0) {
    count(fields.mappings.length);
    for (const info of fields.mappings) text(mappingJson(info));
  }
  return deflateSync(Buffer.concat(parts), { level: 9 });
}

/** The checksum of a body as brokers send it. */
export function bodyChecksum(body: Buffer): number {
  return crc32(body) & 0x7fffffff;
}
