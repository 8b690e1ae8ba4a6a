import type { PlainRegisterBrokerBody } from './register-broker-body-codec.js';
import { SliceHash } from './slice-hash.js';
import type { TopicConfig } from './topic-config.js';
import { type TopicSlices, TopicSlicesBuilder } from './topic-slices.js';
import { type TopicTableLayout, topicTableLayout } from './topic-table-layout.js';

/** How many topics in a row may be gone before those behind them count as changed. */
const MAX_GONE = 8;

/** What is compared of a name, for its share of a step. */
const BYTES_OF_A_NAME = 16;

/** A body as far as it differs from an earlier one. */
export interface ChangedTopics {
  /** A body of the same shape that holds only the topics that are new or changed; the body itself when all are. */
  readonly body: () => PlainRegisterBrokerBody;
  /** The number of topics in {@link body}. */
  readonly changed: number;
  /** What the next body is to be compared with. */
  readonly slices: TopicSlices;
  /** A body of the same shape without topics. */
  readonly bodyWithoutTopics: PlainRegisterBrokerBody;
  /**
   * The topics that are new or changed, read one by one as `decodePlainRegisterBrokerBody` reads them, with attributes when `fiveX`;
   * `undefined` for one that stands under another name than its own.
   *
   * @throws DecodeError when one is no topic
   */
  topics(fiveX: boolean): Iterable<TopicConfig | undefined>;
}

/**
 * Finds the topics of a registration's body that were not in an earlier one just so, without parsing any (design decision 3).
 *
 * `undefined` where bytes do not tell: the body is not as brokers write it, it is JSON with very many mappings of static topics, or the name of a
 * changed topic seems to stand there twice, of which the last would count. What is found is not checked: that the body without unchanged
 * topics decodes does not say that the whole would, unless the earlier body did.
 */
export function changedTopics(before: TopicSlices, body: PlainRegisterBrokerBody): ChangedTopics | undefined {
  const comparison = TopicComparison.of(before, body);
  comparison?.advance();
  return comparison?.result;
}

/** Topics were found, and it is to be seen whether one that is not changed has the name of one that is. */
interface NameSearch {
  readonly found: ChangedTopics;
  /** The topic that comes next, and how many changed ones are before it. */
  place: number;
  before: number;
}

/** {@link changedTopics} in steps. */
export class TopicComparison {
  readonly #before: TopicSlices;
  readonly #body: PlainRegisterBrokerBody;
  readonly #layout: TopicTableLayout;
  readonly #view: DataView;
  readonly #hash = new SliceHash();
  readonly #slices = new TopicSlicesBuilder();
  /** Pairs of start and end of the changed slices. */
  readonly #changed: number[] = [];
  /** Places of the changed ones among all, and hashes of their names. */
  readonly #changedPlaces: number[] = [];
  readonly #changedNames = new Set<number | undefined>();
  /** The topic of the earlier body that is expected next. */
  #next = 0;
  /** Where the next topic begins. */
  #at: number;
  /** What is to be compared yet: whether a changed topic has the name of one that is not. */
  #names: NameSearch | undefined;
  #result: ChangedTopics | undefined;

  private constructor(before: TopicSlices, body: PlainRegisterBrokerBody, bytes: Buffer, layout: TopicTableLayout) {
    this.#before = before;
    this.#body = body;
    this.#layout = layout;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = layout.start;
  }

  /** `undefined` where the body is not as brokers write it. */
  static of(before: TopicSlices, body: PlainRegisterBrokerBody): TopicComparison | undefined {
    const layout = topicTableLayout(body);
    if (body.bytes === undefined || layout === undefined) return undefined;
    return new TopicComparison(before, body, body.bytes, layout);
  }

  /** What was found; `undefined` before {@link advance} has returned true, and where nothing could be told. */
  get result(): ChangedTopics | undefined {
    return this.#result;
  }

  /** Goes on over about so many bytes; true at the end. */
  advance(byteLength = Infinity): boolean {
    if (this.#names !== undefined) return this.#advanceNames(this.#names, byteLength);
    const pause = this.#at + byteLength;
    while (this.#at < pause) {
      if (this.#slices.size === 0 && this.#layout.isEnd(this.#at, 0)) return this.#end(this.#at, byteLength);
      const end = this.#topic(this.#at);
      if (end < 0) return true;
      if (this.#layout.isEnd(end, this.#slices.size)) return this.#end(end, byteLength);
      this.#at = this.#layout.next(end);
      if (this.#at < 0) return true;
    }
    return false;
  }

  /** @param end behind the last topic */
  #end(end: number, byteLength: number): boolean {
    if (!this.#layout.isClosing(end)) return true;
    const slices = this.#slices.build();
    const changed = this.#changedPlaces.length;
    const found: ChangedTopics = {
      body: () => (changed === slices.size ? this.#body : this.#part(end, this.#changed)),
      changed,
      slices,
      bodyWithoutTopics: this.#part(end, []),
      topics: (fiveX) => this.#topics(fiveX),
    };
    if (changed === 0 || changed === slices.size) {
      this.#result = found;
      return true;
    }
    this.#names = { found, place: 0, before: 0 };
    // All at once or in steps of its own, of which those with topics are long enough.
    return byteLength === Infinity && this.#advanceNames(this.#names, byteLength);
  }

  /** Names with the same hash are taken for the same. */
  #advanceNames(search: NameSearch, byteLength: number): boolean {
    const { found } = search;
    const { slices } = found;
    const pause = Math.min(slices.size, search.place + byteLength / BYTES_OF_A_NAME);
    for (; search.place < pause; search.place++) {
      if (search.place === this.#changedPlaces[search.before]) search.before += 1;
      else if (this.#changedNames.has(slices.nameOf(search.place))) return true;
    }
    if (search.place < slices.size) return false;
    this.#result = found;
    return true;
  }

  *#topics(fiveX: boolean): Generator<TopicConfig | undefined> {
    const read = this.#layout.topicReader(fiveX);
    for (let at = 0; at < this.#changed.length; at += 2) {
      yield read(this.#changed[at] as number, this.#changed[at + 1] as number);
    }
  }

  #part(end: number, slices: readonly number[]): PlainRegisterBrokerBody {
    return { ...this.#body, bytes: this.#layout.bodyOf(slices, end) };
  }

  /** Takes the topic that begins here; returns where it ends, or -1. */
  #topic(start: number): number {
    const before = this.#before;
    const expected = start + before.lengthOf(this.#next);
    if (expected > start && expected <= this.#view.byteLength) {
      // The same bytes as in the earlier body, where a topic ended: so does this.
      if (before.is(this.#next, expected - start, this.#hash.update(this.#view, start, expected))) {
        this.#unchanged(this.#next);
        return expected;
      }
    }
    const end = this.#layout.topicEnd(start);
    if (end < 0) return -1;
    this.#hash.update(this.#view, start, end);
    for (let index = this.#next; index < this.#next + MAX_GONE; index++) {
      if (before.is(index, end - start, this.#hash)) {
        this.#unchanged(index);
        return end;
      }
    }
    const { low, high } = this.#hash;
    const name = this.#nameHash(start);
    if (before.nameOf(this.#next) === name) this.#next += 1;
    this.#changed.push(start, end);
    this.#changedPlaces.push(this.#slices.size);
    // Where there is no earlier body all are changed, and none is asked for.
    if (before.size > 0) this.#changedNames.add(name);
    this.#slices.add(end - start, low, high, name);
    return end;
  }

  #nameHash(start: number): number {
    return this.#hash.update(this.#view, this.#layout.nameStart(start), this.#layout.nameEnd(start)).low;
  }

  #unchanged(index: number): void {
    this.#before.copyTo(this.#slices, index);
    this.#next = index + 1;
  }
}
