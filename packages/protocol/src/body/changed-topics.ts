import { SliceHash } from './slice-hash.js';
import { type TopicSlices, TopicSlicesBuilder } from './topic-slices.js';

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

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const SLASH = 0x2f;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** How many topics in a row may be gone before those behind them count as changed. */
const MAX_GONE = 8;
const SEPARATOR = Buffer.from(',');

/** A body as far as it differs from an earlier one. */
export interface ChangedTopics {
  /** A body of the same shape that holds only the topics that are new or changed; the body itself when all are. */
  readonly body: Uint8Array;
  /** The number of topics in {@link body}. */
  readonly changed: number;
  /** What the next body is to be compared with. */
  readonly slices: TopicSlices;
  /** {@link body} in several, of so many topics at most: without any it is one body that has none. */
  parts(maxTopics: number): Iterable<Uint8Array>;
}

/**
 * Finds the topics of a registration's JSON body that were not in an earlier one just so, without parsing any (design decision 3).
 *
 * `undefined` where bytes do not tell: the body is not as brokers write it, it has mappings of static topics, or the name of a changed topic
 * seems to stand there twice, of which the last would count. What is found is not checked: that the body without unchanged topics decodes
 * does not say that the whole would, unless the earlier body did.
 */
export function changedTopics(before: TopicSlices, body: Uint8Array): ChangedTopics | undefined {
  const comparison = TopicComparison.of(before, body);
  comparison?.advance();
  return comparison?.result;
}

/** {@link changedTopics} in steps. */
export class TopicComparison {
  readonly #before: TopicSlices;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #start: number;
  readonly #hash = new SliceHash();
  readonly #slices = new TopicSlicesBuilder();
  /** Pairs of start and end of the changed slices. */
  readonly #changed: number[] = [];
  /** Places of the changed ones among all. */
  readonly #changedPlaces: number[] = [];
  /** The topic of the earlier body that is expected next. */
  #next = 0;
  /** Where the next topic begins. */
  #at: number;
  #result: ChangedTopics | undefined;

  private constructor(before: TopicSlices, bytes: Buffer, start: number) {
    this.#before = before;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start;
    this.#at = start;
  }

  /** `undefined` where the body is not as brokers write it. */
  static of(before: TopicSlices, body: Uint8Array): TopicComparison | undefined {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const start = OPENING.exec(bytes.toString('latin1', 0, OPENING_BYTES))?.[0].length;
    return start === undefined ? undefined : new TopicComparison(before, bytes, start);
  }

  /** What was found; `undefined` before {@link advance} has returned true, and where nothing could be told. */
  get result(): ChangedTopics | undefined {
    return this.#result;
  }

  /** Goes on over about so many bytes; true at the end. */
  advance(byteLength = Infinity): boolean {
    const bytes = this.#bytes;
    const pause = this.#at + byteLength;
    if (bytes[this.#at] === CLOSE_OBJECT && this.#at === this.#start) return this.#end(this.#at);
    while (this.#at < pause) {
      const end = this.#topic(this.#at);
      if (end < 0) return true;
      if (bytes[end] === CLOSE_OBJECT) return this.#end(end);
      if (bytes[end] !== COMMA) return true;
      this.#at = end + 1;
    }
    return false;
  }

  /** @param end behind the last topic */
  #end(end: number): true {
    if (!CLOSINGS.some((closing) => this.#bytes.subarray(end).equals(closing))) return true;
    const slices = this.#slices.build();
    const changed = this.#changedPlaces.length;
    if (changed < slices.size && this.#isAmbiguous(slices)) return true;
    this.#result = {
      body: changed === slices.size ? this.#bytes : this.#part(end, 0, changed),
      changed,
      slices,
      parts: (maxTopics) => this.#parts(end, maxTopics),
    };
    return true;
  }

  *#parts(end: number, maxTopics: number): Generator<Buffer> {
    const changed = this.#changedPlaces.length;
    for (let first = 0; first === 0 || first < changed; first += maxTopics) {
      yield this.#part(end, first, Math.min(changed, first + maxTopics));
    }
  }

  /** Takes the topic that begins here; returns where it ends, or -1. */
  #topic(start: number): number {
    const before = this.#before;
    const expected = start + before.lengthOf(this.#next);
    if (expected > start && expected < this.#bytes.length) {
      // The same bytes as in the earlier body, where a topic ended: so does this.
      if (before.is(this.#next, expected - start, this.#hash.update(this.#view, start, expected))) {
        this.#unchanged(this.#next);
        return expected;
      }
    }
    const nameEnd = this.#nameEnd(start);
    const end = nameEnd < 0 ? -1 : this.#objectEnd(nameEnd + 2);
    if (end < 0) return -1;
    this.#hash.update(this.#view, start, end);
    for (let index = this.#next; index < this.#next + MAX_GONE; index++) {
      if (before.is(index, end - start, this.#hash)) {
        this.#unchanged(index);
        return end;
      }
    }
    const { low, high } = this.#hash;
    const name = this.#hash.update(this.#view, start, nameEnd).low;
    if (before.nameOf(this.#next) === name) this.#next += 1;
    this.#changed.push(start, end);
    this.#changedPlaces.push(this.#slices.size);
    this.#slices.add(end - start, low, high, name);
    return end;
  }

  #unchanged(index: number): void {
    this.#before.copyTo(this.#slices, index);
    this.#next = index + 1;
  }

  /** Where the name ends that begins here, with its quotes, and an object follows; -1 where that is not so or it has escapes. */
  #nameEnd(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== QUOTE) return -1;
    for (let at = start + 1; at < bytes.length; at++) {
      const char = bytes[at];
      if (char === BACKSLASH) return -1;
      if (char !== QUOTE) continue;
      return bytes[at + 1] === COLON && bytes[at + 2] === OPEN_OBJECT ? at + 1 : -1;
    }
    return -1;
  }

  /** Behind the object whose first byte after the brace is at `start`; -1 where it does not end, or its strings are not as brokers write them. */
  #objectEnd(start: number): number {
    const bytes = this.#bytes;
    let depth = 1;
    let inString = false;
    for (let at = start; at < bytes.length; at++) {
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

  /** Whether a changed topic has the name of one that is not. Names with the same hash are taken for the same. */
  #isAmbiguous(slices: TopicSlices): boolean {
    if (this.#changedPlaces.length === 0) return false;
    const changed = new Set(this.#changedPlaces);
    const names = new Set(this.#changedPlaces.map((place) => slices.nameOf(place)));
    for (let place = 0; place < slices.size; place++) {
      if (names.has(slices.nameOf(place)) && !changed.has(place)) return true;
    }
    return false;
  }

  /** The body with nothing but its changed topics from one to another; `end` is behind the last topic. */
  #part(end: number, first: number, last: number): Buffer {
    const bytes = this.#bytes;
    const pieces = [bytes.subarray(0, this.#start)];
    for (let index = first; index < last; index++) {
      if (index > first) pieces.push(SEPARATOR);
      pieces.push(bytes.subarray(this.#changed[2 * index], this.#changed[2 * index + 1]));
    }
    pieces.push(bytes.subarray(end));
    return Buffer.concat(pieces);
  }
}
