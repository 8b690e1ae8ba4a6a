import { MAX_WORDS_BYTES, wordsOf } from '../buffer/view.js';
import type { LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { type ChangingPlaces, scanJsonHeader } from './json-header-scanner.js';
import { endOfExtFields, endOfInteger, integer, PlainExtFields } from './plain-json.js';

/** A process is asked a handful of kinds. The oldest gives way. */
const MAX_SHAPES = 16;
/** Of headers that none fits, so many are scanned before one is learned: to learn what is never seen again costs more than a scan. */
const SCANS_PER_SHAPE = 8;

/** Longer ones, ext fields aside, are nobody's habit. */
const MAX_SHAPE_BYTES = 512;

/**
 * Reads headers as {@link scanJsonHeader} does, at half its price: of one peer's headers all but opaque and ext fields is the same bytes each
 * time, and bytes that are compared with those of an earlier header need not be read.
 */
export class JsonHeaderShapes {
  readonly #shapes: JsonHeaderShape[] = [];
  #latest: JsonHeaderShape | undefined;
  #oldest = 0;
  readonly #walk = new ExtFieldsWalk();
  /** Headers that were like none before. */
  scans = 0;

  /** How often ext fields were walked to be compared with those before. */
  get walks(): number {
    return this.#walk.count;
  }

  read(bytes: Buffer, start: number, end: number): RemotingCommand | undefined {
    this.#walk.forget();
    return this.#readAsBefore(bytes, start, end) ?? this.#scan(bytes, start, end);
  }

  #readAsBefore(bytes: Buffer, start: number, end: number): RemotingCommand | undefined {
    const latest = this.#latest;
    if (latest === undefined || bytes.length > MAX_WORDS_BYTES) return undefined;
    const words = wordsOf(bytes);
    return latest.read(bytes, words, this.#walk, start, end) ?? this.#readAsOther(bytes, words, start, end);
  }

  #readAsOther(bytes: Buffer, words: DataView, start: number, end: number): RemotingCommand | undefined {
    for (const shape of this.#shapes) {
      const command = shape === this.#latest ? undefined : shape.read(bytes, words, this.#walk, start, end);
      if (command === undefined) continue;
      this.#latest = shape;
      return command;
    }
    return undefined;
  }

  #scan(bytes: Buffer, start: number, end: number): RemotingCommand | undefined {
    const learns = ++this.scans % SCANS_PER_SHAPE === 0 && bytes.length <= MAX_WORDS_BYTES;
    if (!learns) return scanJsonHeader(bytes, start, end);
    const places: ChangingPlaces = {};
    const command = scanJsonHeader(bytes, start, end, places);
    // Those with a remark are failures, each with words of its own.
    if (command === undefined || command.remark !== undefined) return command;
    const { extFields } = places;
    if (end - start - (extFields === undefined ? 0 : extFields.end - extFields.at) > MAX_SHAPE_BYTES) return command;
    this.#latest = new JsonHeaderShape(command, bytes, start, end, places);
    this.#shapes[this.#oldest] = this.#latest;
    this.#oldest = (this.#oldest + 1) % MAX_SHAPES;
    return command;
  }
}

/**
 * Where ext fields of the header that is being read end. Many kinds agree until there, and if each looked anew, one peer's long headers could
 * cost sixteen times what they should.
 */
class ExtFieldsWalk {
  #from = 0;
  #to = 0;
  #byteLength = 0;
  count = 0;

  /** Another header is read. */
  forget(): void {
    this.#from = 0;
    this.#byteLength = 0;
  }

  endOf(bytes: Buffer, from: number, end: number): number {
    if (from === this.#from) return this.#to;
    this.count++;
    const to = endOfExtFields(bytes, from, end);
    const byteLength = (to === 0 ? end : to) - from;
    // A header may have several; the longest is kept, since only one is not among the few bytes of a shape.
    if (byteLength >= this.#byteLength) {
      this.#from = from;
      this.#to = to;
      this.#byteLength = byteLength;
    }
    return to;
  }
}

/** What of a header is always the same, as words to be compared and the bytes that are left. */
class Run {
  readonly #words: Int32Array;
  readonly #tail: Uint8Array;
  readonly #byteLength: number;

  constructor(bytes: Buffer) {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => words.getInt32(4 * i));
    this.#tail = Uint8Array.from(bytes.subarray(4 * this.#words.length));
    this.#byteLength = bytes.length;
  }

  /** Where it ends when it begins at `at`, else 0. */
  endIn(words: DataView, at: number, end: number): number {
    const after = at + this.#byteLength;
    if (after > end) return 0;
    const expected = this.#words;
    let next = at;
    for (let i = 0; i < expected.length; i++, next += 4) if (words.getInt32(next) !== expected[i]) return 0;
    for (let i = 0; next < after; i++, next++) if (words.getUint8(next) !== this.#tail[i]) return 0;
    return after;
  }
}

interface Part {
  readonly isOpaque: boolean;
  /** What follows. */
  readonly run: Run;
}

/** What all headers of one kind have in common: what lies before, between and behind the opaque and the ext fields, in either order. */
class JsonHeaderShape {
  readonly #code: number;
  readonly #flag: number;
  readonly #language: LanguageName | undefined;
  readonly #version: number;
  readonly #first: Run;
  readonly #parts: readonly Part[];

  constructor(
    { code, flag, language, version }: RemotingCommand,
    bytes: Buffer,
    start: number,
    end: number,
    places: ChangingPlaces,
  ) {
    this.#code = code;
    this.#flag = flag;
    this.#language = language;
    this.#version = version;
    const changing = [places.opaque, places.extFields]
      .filter((place) => place !== undefined)
      .sort((a, b) => a.at - b.at);
    const runEnd = (i: number): number => changing[i]?.at ?? end;
    this.#first = new Run(bytes.subarray(start, runEnd(0)));
    this.#parts = changing.map((place, i) => ({
      isOpaque: place === places.opaque,
      run: new Run(bytes.subarray(place.end, runEnd(i + 1))),
    }));
  }

  /** The command of a header of this kind, `undefined` for one of another. */
  read(bytes: Buffer, words: DataView, walk: ExtFieldsWalk, start: number, end: number): RemotingCommand | undefined {
    let at = this.#first.endIn(words, start, end);
    let opaque = 0;
    let extFieldsAt = 0;
    let extFieldsEnd = 0;
    for (const { isOpaque, run } of this.#parts) {
      if (at === 0) return undefined;
      if (isOpaque) {
        at = endOfInteger(bytes, at, end);
        opaque = integer;
      } else {
        extFieldsAt = at;
        at = walk.endOf(bytes, at, end);
        extFieldsEnd = at;
      }
      if (at !== 0) at = run.endIn(words, at, end);
    }
    if (at === 0 || at !== end) return undefined;
    const command = RemotingCommand.request(this.#code);
    command.flag = this.#flag;
    command.language = this.#language;
    command.version = this.#version;
    command.opaque = opaque;
    if (extFieldsEnd > 0) command.extFieldsFrom(new PlainExtFields(bytes, extFieldsAt, extFieldsEnd));
    return command;
  }
}
