import { ByteRun } from '../buffer/byte-run.js';
import { MAX_WORDS_BYTES, wordsOf } from '../buffer/words.js';
import type { LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { type ChangingPlaces, scanJsonHeader } from './json-header-scanner.js';
import { endOfExtFields, endOfInteger, integer, PlainExtFields } from './plain-json.js';

/** A process is asked a handful of kinds; with so many slots few of them share one. */
const SLOTS = 256;
/** Of headers that none fits, so many are scanned before one is learned: to learn what is never seen again costs more than a scan. */
const SCANS_PER_SHAPE = 8;

/** Longer ones, ext fields aside, are nobody's habit. */
const MAX_SHAPE_BYTES = 512;

/**
 * Reads headers as {@link scanJsonHeader} does, for less: of one peer's headers all but opaque and ext fields is the same bytes each time, and
 * bytes that are compared with those of an earlier header need not be read.
 *
 * A header is compared with one earlier one at most, which a few of its bytes choose: with each further one a mix of kinds, as peers of several
 * versions make, would cost more than scans, and a hostile peer could make it cost far more.
 */
export class JsonHeaderShapes {
  readonly #shapes: (JsonHeaderShape | undefined)[] = new Array<JsonHeaderShape | undefined>(SLOTS).fill(undefined);
  /** Headers that were like none before. */
  scans = 0;

  read(bytes: Buffer, start: number, end: number): RemotingCommand | undefined {
    if (bytes.length > MAX_WORDS_BYTES) return scanJsonHeader(bytes, start, end);
    const words = wordsOf(bytes);
    const slot = slotOf(words, start, end);
    return this.#shapes[slot]?.read(bytes, words, start, end) ?? this.#scan(bytes, slot, start, end);
  }

  #scan(bytes: Buffer, slot: number, start: number, end: number): RemotingCommand | undefined {
    if (++this.scans % SCANS_PER_SHAPE !== 0) return scanJsonHeader(bytes, start, end);
    const places: ChangingPlaces = {};
    const command = scanJsonHeader(bytes, start, end, places);
    // Those with a remark are failures, each with words of its own.
    if (command === undefined || command.remark !== undefined) return command;
    const { extFields } = places;
    if (end - start - (extFields === undefined ? 0 : extFields.end - extFields.at) > MAX_SHAPE_BYTES) return command;
    this.#shapes[slot] = new JsonHeaderShape(command, bytes, start, end, places);
    return command;
  }
}

/** By what kinds differ in: the code, what comes after it, and the version, which most write last. */
function slotOf(words: DataView, start: number, end: number): number {
  if (end - start < 16) return end - start;
  const last = words.getUint8(end - 2);
  const version = last >= 0x30 && last <= 0x39 ? words.getInt32(end - 5) : 0;
  const hash = Math.imul(words.getInt32(start + 8), 0x9e3779b1) + Math.imul(version, 0x85ebca6b);
  return Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) >>> 24;
}

interface Part {
  readonly isOpaque: boolean;
  /** What follows. */
  readonly run: ByteRun;
}

/** What all headers of one kind have in common: what lies before, between and behind the opaque and the ext fields, in either order. */
class JsonHeaderShape {
  readonly #code: number;
  readonly #flag: number;
  readonly #language: LanguageName | undefined;
  readonly #version: number;
  readonly #first: ByteRun;
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
    this.#first = new ByteRun(bytes.subarray(start, runEnd(0)));
    this.#parts = changing.map((place, i) => ({
      isOpaque: place === places.opaque,
      run: new ByteRun(bytes.subarray(place.end, runEnd(i + 1))),
    }));
  }

  /** The command of a header of this kind, `undefined` for one of another. */
  read(bytes: Buffer, words: DataView, start: number, end: number): RemotingCommand | undefined {
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
        at = endOfExtFields(bytes, at, end);
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
