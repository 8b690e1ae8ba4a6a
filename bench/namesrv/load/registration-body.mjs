import { crc32, deflateSync } from 'node:zlib';
import { writeDigits } from './requests.mjs';

const FIRST_COUNTER = 1_000_000;
const COUNTER_DIGITS = 7;
const TIME = 1_700_000_000_000;
const TIME_DIGITS = 13;

/**
 * The body of a broker's registration, made once; a new data version, time of sending or number of queues is written into it in place. As
 * from a real 5.x broker, `mappingDataVersion` of an uncompressed body has the time of sending, so that its checksum differs each time even
 * where nothing has changed.
 */
export class RegistrationBody {
  #topology;
  #image;
  #compressed;
  #counter = FIRST_COUNTER;
  #stamp = TIME;
  #changes = 0;
  #places;

  /** @param {{ topology: import('./topology.mjs').Topology, names: string[], compressed?: boolean }} options */
  constructor({ topology, names, compressed = false }) {
    this.#topology = topology;
    this.#compressed = compressed;
    this.#image = compressed ? compressedImage(topology, names) : jsonImage(topology, names);
    this.#places = this.#findPlaces(names);
    /** Which topic a change is made to: one in the middle. */
    this.changedTopic = names[names.length >> 1];
    this.#seal();
  }

  /** The read and write queues that the changed topic has now. */
  get changedQueues() {
    return this.#topology.queues + (this.#changes % 2);
  }

  /** The same contents, sent at another time; the same bytes where they are compressed. */
  restamp() {
    if (this.#places.stamp === undefined) return this;
    writeDigits(this.#image, this.#places.stamp + TIME_DIGITS, ++this.#stamp, TIME_DIGITS);
    this.#seal();
    return this;
  }

  /** Another data version and, unless `versionOnly`, one topic with another number of queues. */
  change({ versionOnly = false } = {}) {
    writeDigits(this.#image, this.#places.counter + COUNTER_DIGITS, ++this.#counter, COUNTER_DIGITS);
    if (!versionOnly) {
      this.#changes++;
      for (const at of this.#places.queues) this.#image[at] = 0x30 + this.changedQueues;
    }
    if (this.#places.stamp !== undefined)
      writeDigits(this.#image, this.#places.stamp + TIME_DIGITS, ++this.#stamp, TIME_DIGITS);
    this.#seal();
    return this;
  }

  #seal() {
    this.bytes = this.#compressed ? deflateSync(this.#image, { level: 9 }) : this.#image;
    this.crc = crc32(this.bytes) & 0x7fffffff;
    this.compressed = this.#compressed;
  }

  #findPlaces(names) {
    const find = (text, from = 0) => {
      const at = this.#image.indexOf(text, from, 'latin1');
      return at < 0 ? undefined : at + text.length;
    };
    const changed = names[names.length >> 1];
    const counter = find('"counter":');
    if (this.#compressed) {
      const at = find(`${changed} `);
      return { counter, stamp: undefined, queues: [at, at + 2] };
    }
    const stampKey = '"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":';
    const topic = find(`"${changed}":{`);
    const queues = [find('"readQueueNums":', topic), find('"writeQueueNums":', topic)];
    return { counter, stamp: find(stampKey), queues };
  }
}

function dataVersion({ isFiveX }) {
  return `{"counter":${FIRST_COUNTER},${isFiveX ? '"stateVersion":0,' : ''}"timestamp":${TIME}}`;
}

function jsonImage(topology, names) {
  const { isFiveX, queues } = topology;
  const topics = names.map(
    (name) =>
      `"${name}":{${isFiveX ? '"attributes":{},' : ''}"order":false,"perm":6,"readQueueNums":${queues},` +
      `"topicFilterType":"SINGLE_TAG","topicName":"${name}","topicSysFlag":0,"writeQueueNums":${queues}}`,
  );
  const mapping = isFiveX ? `,"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":${TIME}}` : '';
  const maps = isFiveX ? ',"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}' : '';
  return Buffer.from(
    `{"filterServerList":[],"topicConfigSerializeWrapper":{"dataVersion":${dataVersion(topology)}${mapping},` +
      `"topicConfigTable":{${topics.join(',')}}${maps}}}`,
    'latin1',
  );
}

function compressedImage(topology, names) {
  const parts = [];
  const putLength = (length) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length);
    parts.push(bytes);
  };
  const put = (text) => {
    putLength(text.length);
    parts.push(Buffer.from(text, 'latin1'));
  };
  const { isFiveX, queues } = topology;
  put(dataVersion(topology));
  putLength(names.length);
  for (const name of names) put(`${name} ${queues} ${queues} 6 SINGLE_TAG${isFiveX ? ' {}' : ''}`);
  put('[]');
  if (isFiveX) putLength(0);
  return Buffer.concat(parts);
}
