import { deflateRawSync, deflateSync } from 'node:zlib';
import type { Random } from '../random.js';
import { compressedBody, type RegistrationFields, V5_0_0 } from '../registration-body.js';
import type { Fields, Scene } from './scene.js';

/** A compressed registration that is not what it should be: as a stream, in what it holds, or in what its header says. */
export function addOddCompressed(
  scene: Scene,
  registration: RegistrationFields,
  json: Buffer,
  version: number,
  base: Fields,
): void {
  const { random } = scene;
  const layout = random.once(4) ? random.pick([355, 479]) : version;
  const whole = compressedBody(registration, layout);
  const end = whole.length;
  const [note, body] = random.weighted<readonly [string, Buffer]>([
    [1, ['as it is', whole]],
    [1, ['with bytes behind', Buffer.concat([whole, Buffer.from('more')])]],
    [1, ['without its trailer', whole.subarray(0, -4)]],
    [1, ['with half a trailer', whole.subarray(0, -2)]],
    [1, ['with a wrong trailer', Buffer.concat([whole.subarray(0, -4), Buffer.from([1, 2, 3, 4])])]],
    [1, ['cut', whole.subarray(0, Math.floor(end / 2))]],
    [1, ['raw', deflateRawSync(Buffer.from('{}'))]],
    [1, ['JSON deflated', deflateSync(json)]],
    [1, ['nothing deflated', deflateSync(Buffer.alloc(0))]],
    [1, ['four bytes', deflateSync(Buffer.alloc(4))]],
    [1, ['no body', Buffer.alloc(0)]],
    [1, ['JSON', json]],
    [6, oddParts(scene, registration, layout)],
  ]);
  const compressed = random.pick(['true', 'true', 'true', 'TRUE', 'True', 'yes', 'false']);
  const what = `register, compressed=${compressed}, layout ${layout}, ${note}`;
  scene.add(103, what, { ...base, compressed }, body, version);
}

const ODD_VERSIONS = ['', 'null', '{}', '[]', '{"counter":"3"}', 'x', '{"timestamp":1.5}', '{"counter":null}'] as const;
const ODD_FILTERS = ['', 'null', '{}', 'x', '[1]', '[]', '["a"]x', ' [] ', "['a']"] as const;

/** One part of the layout of which one thing is odd. */
function oddParts(scene: Scene, registration: RegistrationFields, layout: number): readonly [string, Buffer] {
  const { random } = scene;
  const { dataVersion, topics, filterServerList } = registration;
  const odd = random.pick(['version', 'count', 'topic', 'filters', 'mappings', 'mapping', 'end'] as const);
  const parts: Buffer[] = [];
  const notes: string[] = [odd];
  const count = (value: number): void => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    parts.push(bytes);
  };
  const text = (value: string): void => {
    const bytes = Buffer.from(value);
    count(bytes.length);
    parts.push(bytes);
  };
  const instead = (part: typeof odd, usual: string, others: readonly string[]): string => {
    if (part !== odd) return usual;
    const other = random.pick(others);
    notes.push(JSON.stringify(other));
    return other;
  };
  text(instead('version', JSON.stringify(dataVersion), ODD_VERSIONS));
  count(odd === 'count' ? random.pick([0, -1, topics.length - 1]) : topics.length);
  for (const { topicName, readQueueNums, writeQueueNums, perm } of topics) {
    const attributes = layout >= V5_0_0 ? ' {"message.type":"NORMAL"}' : '';
    const plain = `${topicName.replaceAll(' ', '_')} ${readQueueNums} ${writeQueueNums} ${perm} SINGLE_TAG`;
    text(instead('topic', `${plain}${attributes}`, oddTopics(plain, attributes, random)));
  }
  text(instead('filters', JSON.stringify(filterServerList ?? []), ODD_FILTERS));
  if (layout >= V5_0_0 || odd === 'mapping') {
    count(odd === 'mappings' ? random.pick([-1, 1, 5]) : odd === 'mapping' ? 1 : 0);
    if (odd === 'mapping') text(instead('mapping', '', oddMappings(scene)));
  }
  if (odd === 'end') parts.push(Buffer.from('more'));
  return [notes.join(' '), deflateSync(Buffer.concat(parts))];
}

function oddTopics(plain: string, attributes: string, random: Random): string[] {
  const whole = `${plain}${attributes}`;
  const number = random.pick([' x ', ' -1 ', ' +4 ', ' 4.0 ', ' 99999999999 ']);
  const filter = random.pick(['MULTI_TAG', 'single_tag', 'NONE', '', '0']);
  return [
    whole.replace('SINGLE_TAG', filter),
    whole.replace(' ', '  '),
    `${whole} `,
    ` ${whole}`,
    `${whole} more words`,
    whole.replace(/ \d+ /, number),
    plain.split(' ').slice(0, 4).join(' '),
    plain,
    '',
    ...['{}', 'x', 'null', '{"a": "b"}'].map((sixth) => `${plain} ${sixth}`),
  ];
}

function oddMappings({ topics, brokerName: bname }: Scene): string[] {
  const info = { bname, topic: topics[1], scope: '__global__', totalQueues: 1, epoch: 1, currIdMap: { 0: 1 } };
  const asTexts = { ...info, totalQueues: '1', epoch: '5', dirty: 'true', currIdMap: { 0: '1' } };
  return [JSON.stringify(info), JSON.stringify(asTexts), 'null', 'x'];
}
