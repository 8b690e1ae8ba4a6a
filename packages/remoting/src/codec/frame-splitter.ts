import { readInt32 } from '../buffer/int32.js';
import { PAGE_BYTES, takePage } from '../buffer/page-pool.js';
import { isLent, ownCopy } from '../buffer/read-memory.js';
import { DecodeError, DecodeErrorKind, FrameTooLargeError, type RemotingError } from '../errors.js';

const LENGTH_BYTES = 4;
const MIN_FRAME_BYTES = 4;
/** Pieces smaller than this are gathered in slabs: a Buffer object for each byte of a slow peer would cost a hundredfold. */
const SMALL_PIECE_BYTES = 1024;
/** Also the most that is allocated on the word of a peer, before the bytes are there; for later slabs it is as much as has come. */
const SLAB_BYTES = 4096;
/** Longer frames that span chunks are left in pieces until somebody wants them joined. */
const MAX_JOINED_BYTES = 64 * 1024;
/** Of a frame that is refused. */
const MAX_OPENING_BYTES = 4096;
const EMPTY = Buffer.alloc(0);
const NO_PAGES: readonly Buffer[] = [];
/** Slots for chunks that are kept while none is there. */
const MAX_KEPT_SLOTS = 16;

const State = { LENGTH: 'length', FRAME: 'frame' } as const;
type State = (typeof State)[keyof typeof State];

/**
 * Splits a stream of bytes into frames, without their length bytes (reference: remoting 1.2; Netty's `LengthFieldBasedFrameDecoder`).
 *
 * Push what arrived, then call {@link next} until it returns `undefined`. A frame that lies in one chunk is a view of it; one that spans
 * chunks is put together once, and a large one only when it is asked for. Memory is bounded by the bytes that arrived, never by the length that a peer announced, and time is linear in
 * them however small the chunks are. After {@link next} threw, every further call throws the same error.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  #state: State = State.LENGTH;
  #failure: RemotingError | undefined;
  #bufferedBytes = 0;

  /** Written over rather than emptied, since to set an array's length costs more than the rest of a small frame; `#chunkCount` of them count. */
  #chunks: Buffer[] = [];
  #chunkCount = 0;
  #chunkIndex = 0;
  #chunkOffset = 0;

  /** The length field as far as it is read, and then the length of the frame. */
  #length = 0;
  #lengthBytes = 0;

  #frame: Buffer = EMPTY;
  #frameStart = 0;
  #frameEnd = 0;
  #framePieces: readonly Buffer[] | undefined;

  #framePages: readonly Buffer[] = NO_PAGES;

  #pieces: Buffer[] = [];
  #pages: Buffer[] | undefined;
  #collectedBytes = 0;
  #slab: Buffer | undefined;
  #slabStart = 0;
  #slabEnd = 0;

  /** @param maxFrameBytes the largest frame, its four length bytes included; default 16 MiB, as every RocketMQ process has it */
  constructor(maxFrameBytes = 16 * 1024 * 1024) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Bytes that were pushed and have not left in a frame. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Places for chunks; they do not grow while each chunk leaves before the next one comes. */
  get places(): number {
    return this.#chunks.length;
  }

  /**
   * Takes the next bytes. They must not be changed afterwards, but for those that are lent: of them {@link keepLent} makes copies.
   *
   * @throws what {@link next} threw before, if it did
   */
  push(chunk: Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (chunk.length === 0) return;
    // Whoever stops at the last whole frame never comes to the end of the list, and it must not grow with each chunk.
    if (this.#chunkIndex > 0 && this.#chunkIndex === this.#chunkCount) this.#forgetChunks();
    this.#chunks[this.#chunkCount++] = chunk;
    this.#bufferedBytes += chunk.length;
  }

  /**
   * The next complete frame, or `undefined` until more bytes come.
   *
   * @throws FrameTooLargeError as soon as the length bytes of a frame above the limit are there, a negative length included
   * @throws DecodeError for a length below 4, which leaves no room for the header word
   */
  next(): Buffer | undefined {
    return this.advance() ? this.frame.subarray(this.#frameStart, this.#frameEnd) : undefined;
  }

  /**
   * As {@link next}, for whoever needs no view of the frame, which costs as much as all the rest: true when {@link frame} holds one from
   * {@link frameStart} to {@link frameEnd}, until the next call or {@link release}.
   */
  advance(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#advanceAtOnce()) return true;
    for (let chunk = this.#chunk(); chunk !== undefined; chunk = this.#chunk()) {
      if (this.#state === State.LENGTH) this.#readLength(chunk);
      else if (this.#readFrame(chunk)) return true;
    }
    return false;
  }

  /** Makes the last frame bytes of its own if it is lent, and the whole frames behind it with it. */
  ownFrame(): void {
    const lent = this.#frame;
    if (!isLent(lent)) return;
    const start = this.#frameStart;
    this.#frame = ownCopy(lent, start);
    this.#frameStart = 0;
    this.#frameEnd -= start;
    if (this.#chunkIndex === this.#chunkCount || this.#chunks[this.#chunkIndex] !== lent) return;
    this.#chunks[this.#chunkIndex] = this.#frame;
    this.#chunkOffset -= start;
  }

  /** Copies what has not left of lent bytes: to be called before they are anybody else's. */
  keepLent(): void {
    for (let at = this.#chunkIndex; at < this.#chunkCount; at++) {
      const chunk = this.#chunks[at] as Buffer;
      if (!isLent(chunk)) continue;
      const isFirst = at === this.#chunkIndex;
      this.#chunks[at] = ownCopy(chunk, isFirst ? this.#chunkOffset : 0);
      if (isFirst) this.#chunkOffset = 0;
    }
  }

  /** Lets go of the last frame, which a connection that falls idle must not keep from being freed. */
  release(): void {
    this.#frame = EMPTY;
    this.#framePieces = undefined;
    this.#framePages = NO_PAGES;
  }

  /** Where the last frame is; joins {@link framePieces}. */
  get frame(): Buffer {
    if (this.#framePieces !== undefined) {
      this.#frame = Buffer.concat(this.#framePieces, this.#frameEnd);
      this.#framePieces = undefined;
    }
    return this.#frame;
  }

  /** A frame of more than 64 KiB that spans chunks, as the pieces it came in; `undefined` for any other, and once it is joined. */
  get framePieces(): readonly Buffer[] | undefined {
    return this.#framePieces;
  }

  /** The pages of the pool in which {@link framePieces} lie, if any do; theirs who take the frame. */
  get framePages(): readonly Buffer[] {
    return this.#framePages;
  }

  get frameStart(): number {
    return this.#frameStart;
  }

  get frameEnd(): number {
    return this.#frameEnd;
  }

  #chunk(): Buffer | undefined {
    if (this.#chunkIndex < this.#chunkCount) return this.#chunks[this.#chunkIndex];
    if (this.#chunkIndex > 0) this.#forgetChunks();
    return undefined;
  }

  /** All have left. */
  #forgetChunks(): void {
    // Those that have left are empty.
    if (this.#chunks.length > MAX_KEPT_SLOTS) this.#chunks = [];
    this.#chunkCount = 0;
    this.#chunkIndex = 0;
  }

  /** The frame that lies whole, with its length, in what is left of its chunk, as most do; others, and bad ones, go the long way. */
  #advanceAtOnce(): boolean {
    const chunk = this.#chunkIndex < this.#chunkCount ? this.#chunks[this.#chunkIndex] : undefined;
    const start = this.#chunkOffset + LENGTH_BYTES;
    if (chunk === undefined || this.#lengthBytes > 0 || start > chunk.length) return false;
    const length = readInt32(chunk, this.#chunkOffset);
    if (length < MIN_FRAME_BYTES || start + length > chunk.length || length + LENGTH_BYTES > this.#maxFrameBytes)
      return false;
    this.#consume(chunk, LENGTH_BYTES + length);
    this.#length = length;
    return this.#finish(chunk, start);
  }

  #consume(chunk: Buffer, byteLength: number): void {
    this.#chunkOffset += byteLength;
    if (this.#chunkOffset < chunk.length) return;
    this.#chunkOffset = 0;
    // The slot is left empty rather than shifted out, which would cost time for each chunk behind it.
    this.#chunks[this.#chunkIndex++] = EMPTY;
  }

  #readLength(chunk: Buffer): void {
    const end = Math.min(chunk.length, this.#chunkOffset + LENGTH_BYTES - this.#lengthBytes);
    for (let at = this.#chunkOffset; at < end; at++) this.#length = this.#length * 256 + (chunk[at] as number);
    this.#lengthBytes += end - this.#chunkOffset;
    this.#consume(chunk, end - this.#chunkOffset);
    if (this.#lengthBytes < LENGTH_BYTES) return;
    if (this.#length + LENGTH_BYTES > this.#maxFrameBytes)
      this.#fail(new FrameTooLargeError(this.#length + LENGTH_BYTES, this.#maxFrameBytes, {}, this.#opening()));
    if (this.#length < MIN_FRAME_BYTES)
      this.#fail(
        new DecodeError(`a frame announces ${this.#length} bytes, but its header word alone takes 4`, {
          kind: DecodeErrorKind.CORRUPT_FRAME,
        }),
      );
    this.#state = State.FRAME;
  }

  /** A copy, for the error that outlives the chunk. */
  #opening(): Buffer {
    const start = this.#chunkOffset;
    return Buffer.from(this.#chunks[this.#chunkIndex]?.subarray(start, start + MAX_OPENING_BYTES) ?? EMPTY);
  }

  #fail(failure: RemotingError): never {
    this.#failure = failure;
    this.#chunks = [];
    this.#chunkCount = 0;
    this.#chunkIndex = 0;
    this.#bufferedBytes = 0;
    throw failure;
  }

  #readFrame(chunk: Buffer): boolean {
    const start = this.#chunkOffset;
    const byteLength = Math.min(chunk.length - start, this.#length - this.#collectedBytes);
    this.#consume(chunk, byteLength);
    if (byteLength === this.#length) return this.#finish(chunk, start);
    this.#collect(chunk.subarray(start, start + byteLength));
    if (this.#collectedBytes < this.#length) return false;
    this.#endSlabPiece();
    const pieces = this.#pieces;
    const only = pieces.length === 1 ? pieces[0] : undefined;
    if (only === undefined && this.#length > MAX_JOINED_BYTES) {
      this.#finish(EMPTY, 0);
      this.#framePieces = pieces;
      this.#framePages = this.#pages ?? NO_PAGES;
    } else {
      this.#finish(only ?? Buffer.concat(pieces, this.#length), 0);
    }
    this.#pieces = [];
    this.#pages = undefined;
    this.#collectedBytes = 0;
    this.#slab = undefined;
    return true;
  }

  #finish(bytes: Buffer, start: number): true {
    this.#frame = bytes;
    this.#framePieces = undefined;
    this.#frameStart = start;
    this.#frameEnd = start + this.#length;
    this.#bufferedBytes -= LENGTH_BYTES + this.#length;
    this.#state = State.LENGTH;
    this.#length = 0;
    this.#lengthBytes = 0;
    return true;
  }

  #collect(piece: Buffer): void {
    // A frame that fits into one slab is assembled there, and needs no joining.
    if (piece.length < SMALL_PIECE_BYTES || this.#length <= SLAB_BYTES || isLent(piece)) this.#collectInSlabs(piece);
    else {
      this.#endSlabPiece();
      this.#pieces.push(piece);
    }
    this.#collectedBytes += piece.length;
  }

  #collectInSlabs(piece: Buffer): void {
    let from = 0;
    if (this.#slab !== undefined) from = this.#fillSlab(this.#slab, piece, 0);
    if (from === piece.length) return;
    this.#endSlabPiece();
    this.#slab = this.#newSlab(piece.length - from, this.#collectedBytes + from);
    this.#slabStart = 0;
    this.#slabEnd = 0;
    this.#fillSlab(this.#slab, piece, from);
  }

  /**
   * @param waiting bytes that are there to be put into it
   * @param collected bytes of the frame that lie elsewhere
   */
  #newSlab(waiting: number, collected: number): Buffer {
    const byteLength = Math.max(waiting, Math.min(PAGE_BYTES, Math.max(SLAB_BYTES, collected)));
    if (this.#length <= MAX_JOINED_BYTES || byteLength < PAGE_BYTES / 2)
      return Buffer.allocUnsafeSlow(Math.min(byteLength, this.#length - collected));
    const page = takePage();
    this.#pages ??= [];
    this.#pages.push(page);
    return page;
  }

  /** Puts what has room there into the slab, and returns up to where the piece is in. */
  #fillSlab(slab: Buffer, piece: Buffer, from: number): number {
    const byteLength = Math.min(slab.length - this.#slabEnd, piece.length - from);
    slab.set(byteLength === piece.length ? piece : piece.subarray(from, from + byteLength), this.#slabEnd);
    this.#slabEnd += byteLength;
    return from + byteLength;
  }

  /** Makes what was gathered in the slab since the last piece a piece of its own; the rest of the slab stays in use. */
  #endSlabPiece(): void {
    if (this.#slab === undefined || this.#slabStart === this.#slabEnd) return;
    this.#pieces.push(this.#slab.subarray(this.#slabStart, this.#slabEnd));
    this.#slabStart = this.#slabEnd;
  }
}
