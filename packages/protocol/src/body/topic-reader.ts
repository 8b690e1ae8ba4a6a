import { topicConfigOf } from './register-broker-body-json.js';
import { parseRequestJson } from './request-json.js';
import type { TopicConfig } from './topic-config.js';

/** Ways in which the topics of one body differ beside their names; more are parsed each. */
const MAX_SHAPES = 16;
const NAME_KEY = '"topicName":"';

/** How a topic is written, around its name in `topicName`. */
interface Shape {
  readonly before: DataView;
  readonly after: DataView;
  readonly config: TopicConfig;
}

/**
 * Reads the topics of one JSON body, each `"name":{...}` by itself. Most topics of a broker differ from others in nothing but the name: such
 * a one is recognized by its bytes, and neither parsed nor made a text.
 */
export class JsonTopicReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #fiveX: boolean;
  /** The one that fitted last first. */
  readonly #shapes: Shape[] = [];

  constructor(bytes: Buffer, fiveX: boolean) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#fiveX = fiveX;
  }

  /**
   * The topic in these bytes, whose name with its quotes ends at `nameEnd`; `undefined` when its key is not its name.
   *
   * @throws DecodeError when it is no topic
   */
  read(start: number, nameEnd: number, end: number): TopicConfig | undefined {
    return this.#asBefore(start, nameEnd, end) ?? this.#parse(start, nameEnd, end);
  }

  #asBefore(start: number, nameEnd: number, end: number): TopicConfig | undefined {
    const view = this.#view;
    const nameBytes = nameEnd - start - 2;
    for (let place = 0; place < this.#shapes.length; place++) {
      const shape = this.#shapes[place] as Shape;
      const { before, after, config } = shape;
      const nameStart = nameEnd + before.byteLength;
      const afterStart = nameStart + nameBytes;
      const isSame =
        end === afterStart + after.byteLength &&
        sameBytes(view, nameEnd, before) &&
        sameBytes(view, nameStart, view, start + 1, nameBytes) &&
        sameBytes(view, afterStart, after);
      if (!isSame) continue;
      const name = this.#bytes.toString('latin1', start + 1, nameEnd - 1);
      if (!isPlain(name)) continue;
      if (place > 0) {
        this.#shapes.splice(place, 1);
        this.#shapes.unshift(shape);
      }
      return named(config, name);
    }
    return undefined;
  }

  #parse(start: number, nameEnd: number, end: number): TopicConfig | undefined {
    const json = parseRequestJson(`{${this.#bytes.toString('utf8', start, end)}}`);
    if (json === null || typeof json !== 'object' || Array.isArray(json)) return undefined;
    const [entry, another] = Object.entries(json);
    if (entry === undefined || another !== undefined) return undefined;
    const [key, value] = entry;
    const config = topicConfigOf(key, value, this.#fiveX);
    if (config.topicName !== key) return undefined;
    const text = this.#bytes.toString('latin1', start, end);
    const name = text.slice(1, nameEnd - start - 1);
    if (key === name && isPlain(name) && isBean(value)) this.#learn(text, name, config);
    return config;
  }

  #learn(text: string, name: string, config: TopicConfig): void {
    const rest = text.slice(name.length + 2);
    const keyAt = rest.indexOf(NAME_KEY);
    const nameAt = keyAt + NAME_KEY.length;
    // The name must be what stands in this one place, and nothing beside it may be read as another.
    if (keyAt < 0 || !rest.startsWith(`${name}"`, nameAt) || rest.includes('\\')) return;
    const before = rest.slice(0, nameAt);
    const after = rest.slice(nameAt + name.length);
    if (before.indexOf('topicName') !== keyAt + 1 || after.includes('topicName')) return;
    this.#shapes.unshift({
      before: viewOf(Buffer.from(before, 'latin1')),
      after: viewOf(Buffer.from(after, 'latin1')),
      config,
    });
    if (this.#shapes.length > MAX_SHAPES) this.#shapes.pop();
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Whether these bytes of `one` are those of `other`, by default all of it. */
function sameBytes(
  one: DataView,
  oneStart: number,
  other: DataView,
  otherStart = 0,
  length = other.byteLength,
): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) if (one.getInt32(oneStart + at) !== other.getInt32(otherStart + at)) return false;
  for (; at < length; at++) if (one.getUint8(oneStart + at) !== other.getUint8(otherStart + at)) return false;
  return true;
}

/** Member by member, since a spread would cost as much as all the rest. */
function named(config: TopicConfig, topicName: string): TopicConfig {
  const { readQueueNums, writeQueueNums, perm, topicFilterType, topicSysFlag, order, attributes } = config;
  return attributes === undefined
    ? { topicName, readQueueNums, writeQueueNums, perm, topicFilterType, topicSysFlag, order }
    : { topicName, readQueueNums, writeQueueNums, perm, topicFilterType, topicSysFlag, order, attributes };
}

/** Whether it has a member of this very name, which counts before any that is written otherwise. */
function isBean(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'topicName');
}

/** Whether the name is the same as bytes, as text and in JSON. */
function isPlain(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const char = name.charCodeAt(at);
    if (char < 0x20 || char > 0x7e || char === 0x5c || char === 0x22) return false;
  }
  return true;
}
