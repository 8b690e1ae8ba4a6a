import { combineCrc32, crc32Of, withoutTopBit } from './body-crc32.js';

/** The opening of a JSON body in which a stamp is looked for. */
const OPENING_BYTES = 1024;
/** How much of a body is compared byte by byte; the version of its topics stands there. */
const HEAD_BYTES = 256;
/** The last bytes of a zlib stream: a second, independent checksum of what it inflates to. */
const TRAILER_BYTES = 4;

/**
 * The opening of a body as 5.x brokers write it, up to the object that they stamp anew each time (reference: nameserver 2.5.1). Where a
 * filter server's name holds a bracket or an apostrophe nothing is found, since this does not know where strings end.
 */
const STAMPED_OPENING =
  /^(\{"filterServerList":\[[^\]']*\],"topicConfigSerializeWrapper":\{"dataVersion":\{"counter":\d+,"stateVersion":-?\d+,"timestamp":-?\d+\},"mappingDataVersion":)\{"counter":\d+,"stateVersion":\d+,"timestamp":\d+\},/;

/** What tells one registration's body from another; see {@link digestRegisterBrokerBody}. */
export interface RegisterBrokerBodyDigest {
  /** What the header's `bodyCrc32` must be of this body; see `bodyCrc32`. */
  readonly bodyCrc32: number;
  /** Length of what counts, in bytes. */
  readonly length: number;
  /** CRC-32 of what counts and is not in {@link head}. */
  readonly checksum: number;
  /** The beginning of what counts, and the last bytes of the body; a copy. */
  readonly head: Buffer;
}

/**
 * Makes the digest of a registration's body (103), in the pieces it came in, in one pass and without reading it. Two bodies that decode, whose digests are the same
 * and whose headers say the same, register the same topics in the same version (design decision 3).
 *
 * What a 5.x broker writes as `mappingDataVersion` does not count: it is the time of sending, and no name server reads it.
 */
export function digestRegisterBrokerBody(pieces: readonly Uint8Array[]): RegisterBrokerBodyDigest {
  const [first, ...others] = inWholeEnds(pieces);
  const opening = STAMPED_OPENING.exec(first.toString('latin1', 0, OPENING_BYTES));
  // Without a stamp the rest begins where the head ends.
  const restStart = opening?.[0].length ?? Math.min(HEAD_BYTES, first.length);
  const headEnd = opening?.[1]?.length ?? restStart;
  let last = first.subarray(restStart);
  let checksum = crc32Of(last);
  let restBytes = last.length;
  for (const piece of others) {
    checksum = crc32Of(piece, checksum);
    restBytes += piece.length;
    last = piece;
  }
  return {
    bodyCrc32: withoutTopBit(combineCrc32(crc32Of(first.subarray(0, restStart)), checksum, restBytes)),
    length: headEnd + restBytes,
    checksum,
    head: Buffer.concat([first.subarray(0, headEnd), last.subarray(-TRAILER_BYTES)]),
  };
}

/** The same bytes, with the opening in the first piece and the trailer in the last, as they are unless somebody sends a few bytes at a time. */
function inWholeEnds(pieces: readonly Uint8Array[]): readonly [Buffer, ...Buffer[]] {
  const [first, ...others] = pieces.map(asBuffer);
  if (first === undefined) return [Buffer.alloc(0)];
  const lastBytes = others.at(-1)?.length ?? TRAILER_BYTES;
  const isInOnePiece = others.length === 0 || (first.length >= OPENING_BYTES && lastBytes >= TRAILER_BYTES);
  return isInOnePiece ? [first, ...others] : [Buffer.concat([first, ...others])];
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether two bodies register the same. */
export function sameRegisterBrokerBody(a: RegisterBrokerBodyDigest, b: RegisterBrokerBodyDigest): boolean {
  return a.length === b.length && a.checksum === b.checksum && a.head.equals(b.head);
}
