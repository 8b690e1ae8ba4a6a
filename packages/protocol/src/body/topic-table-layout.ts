import type { PlainRegisterBrokerBody } from './register-broker-body-codec.js';
import { maxTopicsOf } from './register-broker-body-compressed.js';
import { TopicAttributesReader } from './topic-attributes-reader.js';
import type { TopicConfig } from './topic-config.js';
import { decodeTopicConfigText } from './topic-config-text.js';
import { JsonTopicReader } from './topic-reader.js';

/** Where the topics of a registration's body stand, as bytes. Places are offsets; -1 says that the bytes are not as brokers write them. */
export interface TopicTableLayout {
  /** Where the first topic begins, if there is one. */
  readonly start: number;
  /** Whether no topic is left at this place, behind so many of them. */
  isEnd(at: number, topics: number): boolean;
  /** Where the topic behind this one begins, of which it is the end. */
  next(end: number): number;
  /** Behind the topic that begins here. */
  topicEnd(start: number): number;
  /** Where the name begins of the topic that begins here. */
  nameStart(start: number): number;
  /** Behind that name, if {@link topicEnd} found the end of the topic. */
  nameEnd(start: number): number;
  /** Whether what follows the last topic is what a body may end with. */
  isClosing(end: number): boolean;
  /**
   * A reader of topics, given as start and end: each is undefined when its key is not its name.
   *
   * @throws DecodeError when it is no topic
   */
  topicReader(fiveX: boolean): (start: number, end: number) => TopicConfig | undefined;
  /** A body with nothing but these topics, given as pairs of start and end; `end` is behind the last topic of the whole. */
  bodyOf(slices: readonly number[], end: number): Buffer;
}

/**
 * The opening of a JSON body up to its first topic, as brokers write it (reference: nameserver 2.5.1). A list of filter servers whose names
 * hold a bracket or an apostrophe is not recognized, since this does not know where strings end.
 */
const OPENING =
  /^\{"filterServerList":\[[^\]']*\],"topicConfigSerializeWrapper":\{(?:"(?:dataVersion|mappingDataVersion)":\{[\d"a-zA-Z:,-]*\},)+"topicConfigTable":\{/;
const OPENING_BYTES = 1024;
/** From the end of the last topic on, of 4.x and of 5.x without static topics. */
const CLOSINGS = ['}}}', '},"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}}}'].map((text) =>
  Buffer.from(text),
);

/** From there on, of 5.x with static topics; what follows is read with each body, as far as it is this long. */
const MAPPINGS_CLOSING = '},"topicQueueMappingDetailMap":{';
const MAX_MAPPINGS_CLOSING_BYTES = 64 * 1024;

/** What is longer is no topic as brokers write them: in one step there may be many. */
const MAX_TOPIC_BYTES = 8 * 1024;

const SPACE = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const SLASH = 0x2f;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SEPARATOR = Buffer.from(',');

/** `undefined` where the body is not as brokers write it. */
export function topicTableLayout({ bytes, deflatedBytes }: PlainRegisterBrokerBody): TopicTableLayout | undefined {
  if (bytes === undefined) return undefined;
  return deflatedBytes === undefined ? JsonLayout.of(bytes) : InflatedLayout.of(bytes, maxTopicsOf(deflatedBytes));
}

/** `"name":{...},"name":{...}` */
class JsonLayout implements TopicTableLayout {
  readonly start: number;
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.start = start;
  }

  static of(bytes: Buffer): JsonLayout | undefined {
    const start = OPENING.exec(bytes.toString('latin1', 0, OPENING_BYTES))?.[0].length;
    return start === undefined ? undefined : new JsonLayout(bytes, start);
  }

  isEnd(at: number): boolean {
    return this.#bytes[at] === CLOSE_OBJECT;
  }

  next(end: number): number {
    return this.#bytes[end] === COMMA ? end + 1 : -1;
  }

  topicEnd(start: number): number {
    const nameEnd = this.nameEnd(start);
    const bytes = this.#bytes;
    if (nameEnd < 0 || bytes[nameEnd] !== COLON || bytes[nameEnd + 1] !== OPEN_OBJECT) return -1;
    let depth = 1;
    let inString = false;
    const end = Math.min(bytes.length, start + MAX_TOPIC_BYTES);
    for (let at = nameEnd + 2; at < end; at++) {
      const char = bytes[at];
      if (char === QUOTE) inString = !inString;
      else if (inString) {
        if (char === BACKSLASH) at += 1;
      } else if (char === OPEN_OBJECT) depth += 1;
      else if (char === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (char === APOSTROPHE || char === SLASH) return -1;
    }
    return -1;
  }

  nameStart(start: number): number {
    return start;
  }

  /** A name with escapes has no end. */
  nameEnd(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== QUOTE) return -1;
    const end = Math.min(bytes.length, start + MAX_TOPIC_BYTES);
    for (let at = start + 1; at < end; at++) {
      const char = bytes[at];
      if (char === QUOTE) return at + 1;
      if (char === BACKSLASH) return -1;
    }
    return -1;
  }

  topicReader(fiveX: boolean): (start: number, end: number) => TopicConfig | undefined {
    const reader = new JsonTopicReader(this.#bytes, fiveX);
    return (start, end) => reader.read(start, this.nameEnd(start), end);
  }

  isClosing(end: number): boolean {
    const closing = this.#bytes.subarray(end);
    return CLOSINGS.some((known) => closing.equals(known)) || isMappingsClosing(closing);
  }

  bodyOf(slices: readonly number[], end: number): Buffer {
    const bytes = this.#bytes;
    const pieces = [bytes.subarray(0, this.start)];
    for (let at = 0; at < slices.length; at += 2) {
      if (at > 0) pieces.push(SEPARATOR);
      pieces.push(bytes.subarray(slices[at], slices[at + 1]));
    }
    pieces.push(bytes.subarray(end));
    return Buffer.concat(pieces);
  }
}

/** Whether nothing in it but mappings of static topics can say anything of topics. That it is JSON shows when it is read. */
function isMappingsClosing(closing: Buffer): boolean {
  return (
    closing.length <= MAX_MAPPINGS_CLOSING_BYTES &&
    closing.toString('latin1', 0, MAPPINGS_CLOSING.length) === MAPPINGS_CLOSING &&
    closing.toString('latin1', closing.length - 3) === '}}}' &&
    // Another table, or another wrapper, of which the last counts.
    !closing.includes('topicConfig') &&
    // With which a name may be written otherwise.
    !closing.includes('\\')
  );
}

/** What a compressed body inflates to (reference: nameserver 2.5.2): behind the data version a count, and for each topic its length and text. */
class InflatedLayout implements TopicTableLayout {
  readonly start: number;
  readonly #bytes: Buffer;
  readonly #count: number;

  private constructor(bytes: Buffer, start: number, count: number) {
    this.#bytes = bytes;
    this.start = start;
    this.#count = count;
  }

  static of(bytes: Buffer, maxTopics: number): InflatedLayout | undefined {
    const versionBytes = bytes.length < 4 ? -1 : bytes.readInt32BE(0);
    const countAt = 4 + versionBytes;
    if (versionBytes < 0 || countAt + 4 > bytes.length) return undefined;
    const count = bytes.readInt32BE(countAt);
    return count < 0 || count > maxTopics ? undefined : new InflatedLayout(bytes, countAt + 4, count);
  }

  isEnd(_at: number, topics: number): boolean {
    return topics === this.#count;
  }

  next(end: number): number {
    return end;
  }

  topicEnd(start: number): number {
    if (start + 4 > this.#bytes.length) return -1;
    const length = this.#bytes.readInt32BE(start);
    const end = start + 4 + length;
    return length < 0 || length > MAX_TOPIC_BYTES || end > this.#bytes.length ? -1 : end;
  }

  nameStart(start: number): number {
    return start + 4;
  }

  nameEnd(start: number): number {
    const end = this.topicEnd(start);
    const space = this.#bytes.indexOf(SPACE, start + 4);
    return space < 0 || space > end ? end : space;
  }

  topicReader(): (start: number, end: number) => TopicConfig {
    const attributes = new TopicAttributesReader();
    return (start, end) => decodeTopicConfigText(this.#bytes.toString('utf8', start + 4, end), attributes);
  }

  isClosing(): boolean {
    return true;
  }

  bodyOf(slices: readonly number[], end: number): Buffer {
    const bytes = this.#bytes;
    const count = Buffer.alloc(4);
    count.writeInt32BE(slices.length / 2);
    const pieces = [bytes.subarray(0, this.start - 4), count];
    for (let at = 0; at < slices.length; at += 2) pieces.push(bytes.subarray(slices[at], slices[at + 1]));
    pieces.push(bytes.subarray(end));
    return Buffer.concat(pieces);
  }
}
