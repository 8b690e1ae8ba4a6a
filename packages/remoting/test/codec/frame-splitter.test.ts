import { expect } from 'chai';
import fc from 'fast-check';
import { PAGE_BYTES } from '../../src/buffer/page-pool.js';
import { lentBytes, readMemory } from '../../src/buffer/read-memory.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { DecodeError, FrameTooLargeError } from '../../src/errors.js';

/** Bytes on the wire of frames, length fields included. */
function wire(...frames: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(frame.length);
      return [length, frame];
    }),
  );
}

function lengthOnly(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function drain(splitter: FrameSplitter): Buffer[] {
  const frames: Buffer[] = [];
  for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) frames.push(frame);
  return frames;
}

function pushAll(splitter: FrameSplitter, bytes: Buffer, chunkBytes: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    splitter.push(bytes.subarray(at, at + chunkBytes));
    frames.push(...drain(splitter));
  }
  return frames;
}

/** Bytes that Buffers copy while `run` runs. */
function bytesCopied(run: () => void): number {
  const { set } = Uint8Array.prototype;
  const { concat } = Buffer;
  let copied = 0;
  Uint8Array.prototype.set = function (source, offset) {
    copied += source.length;
    set.call(this, source, offset);
  };
  Buffer.concat = (list, length) => {
    const joined = concat(list, length);
    copied += joined.length;
    return joined;
  };
  try {
    run();
  } finally {
    Object.assign(Uint8Array.prototype, { set });
    Object.assign(Buffer, { concat });
  }
  return copied;
}

/** As {@link pushAll}, but through the memory that is overwritten by each read; of the frames of each chunk so many are left for the next. */
function lendAll(splitter: FrameSplitter, bytes: Buffer, chunkBytes: readonly number[], left: number): Buffer[] {
  const frames: Buffer[] = [];
  const take = (): boolean => {
    if (!splitter.advance()) return false;
    splitter.ownFrame();
    frames.push(splitter.frame.subarray(splitter.frameStart, splitter.frameEnd));
    return true;
  };
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const byteLength = Math.min(chunkBytes[i % chunkBytes.length] as number, bytes.length - at);
    bytes.copy(readMemory, 0, at, at + byteLength);
    at += byteLength;
    splitter.push(lentBytes(byteLength));
    for (let n = 0; n < left && take(); n++);
    if (left === 0) while (take());
    splitter.release();
    splitter.keepLent();
    readMemory.fill(0xee);
  }
  while (take());
  return frames;
}

describe('FrameSplitter', () => {
  it('keeps no place for chunks that have left, for whoever stops at the last whole frame', () => {
    const splitter = new FrameSplitter();
    const bytes = wire(Buffer.alloc(4));
    for (let i = 0; i < 1_000; i++) {
      splitter.push(bytes);
      while (splitter.bufferedBytes > 0) expect(splitter.advance()).to.equal(true);
      splitter.release();
    }
    expect(splitter.places).to.equal(1);
  });

  it('gives the places of many chunks up once all have left', () => {
    const splitter = new FrameSplitter();
    for (let i = 0; i < 1_000; i++) splitter.push(Buffer.of(0, 0));
    expect(splitter.places).to.equal(1_000);
    expect(() => drain(splitter)).to.throw(/takes 4/);
    const whole = new FrameSplitter();
    for (let i = 0; i < 1_000; i++) whole.push(wire(Buffer.alloc(4)));
    expect(drain(whole)).to.have.length(1_000);
    expect(whole.places).to.equal(0);
  });

  it('splits several frames of one chunk and keeps the unfinished one', () => {
    const splitter = new FrameSplitter();
    splitter.push(
      Buffer.concat([wire(Buffer.from('first'), Buffer.from('second')), lengthOnly(9), Buffer.from('thi')]),
    );
    expect(drain(splitter).map(String)).to.deep.equal(['first', 'second']);
    expect(splitter.bufferedBytes).to.equal(7);
    splitter.push(Buffer.from('rd one'));
    expect(drain(splitter).map(String)).to.deep.equal(['third one']);
    expect(splitter.bufferedBytes).to.equal(0);
  });

  it('gives a frame that lies in one chunk as a view of it, also behind the end of another frame', () => {
    const bytes = wire(Buffer.alloc(10, 1), Buffer.alloc(20, 2));
    const splitter = new FrameSplitter();
    splitter.push(Buffer.from(bytes.subarray(0, 8)));
    expect(splitter.next()).to.equal(undefined);
    const rest = Buffer.from(bytes.subarray(8));
    splitter.push(rest);
    expect(splitter.next()).to.deep.equal(Buffer.alloc(10, 1));
    const second = splitter.next();
    expect(second).to.deep.equal(Buffer.alloc(20, 2));
    expect(second?.buffer).to.equal(rest.buffer);
    expect(second?.byteOffset).to.equal(rest.byteOffset + 10);
  });

  it('tells with a frame that is too large what had come of it', () => {
    for (const [rest, opening] of [
      ['header', 'header'],
      ['', ''],
      ['x'.repeat(5000), 'x'.repeat(4096)],
    ]) {
      const splitter = new FrameSplitter(100);
      splitter.push(Buffer.concat([lengthOnly(9000), Buffer.from(rest ?? '')]));
      expect(() => splitter.next())
        .to.throw(FrameTooLargeError)
        .that.satisfies((error: FrameTooLargeError) => error.opening.toString() === opening);
    }
  });

  it('leaves a large frame in the pieces it came in until it is asked for whole', () => {
    const frame = Buffer.alloc(100_000).map((_, i) => i % 251);
    const bytes = wire(frame, Buffer.from('next'));
    const splitter = new FrameSplitter();
    const copied = bytesCopied(() => {
      for (let at = 0; at < bytes.length; at += 30_000) splitter.push(bytes.subarray(at, at + 30_000));
      expect(splitter.advance()).to.equal(true);
      expect(splitter.framePieces?.map(({ length }) => length)).to.deep.equal([29_996, 30_000, 30_000, 10_004]);
    });
    expect(copied).to.equal(0);
    expect(splitter.frame.subarray(splitter.frameStart, splitter.frameEnd)).to.deep.equal(frame);
    expect(splitter.framePieces).to.equal(undefined);
    expect(String(splitter.next())).to.equal('next');
  });

  it('splits any frames the same however they are cut (W57)', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ minLength: 4, maxLength: 40 }),
            fc
              .oneof(fc.integer({ min: 4, max: 12_000 }), fc.integer({ min: 65_000, max: 70_000 }))
              .map((n) => new Uint8Array(n).map((_, i) => (i * 31 + n) & 0xff)),
          ),
          { maxLength: 8 },
        ),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5000 })), { minLength: 1 }),
        fc.boolean(),
        (frames, sizes, drainLate) => {
          const bytes = wire(...frames);
          const splitter = new FrameSplitter();
          const result: Buffer[] = [];
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = sizes[i % sizes.length] as number;
            splitter.push(bytes.subarray(at, at + size));
            at += size;
            if (!drainLate) result.push(...drain(splitter));
          }
          result.push(...drain(splitter));
          expect(result).to.deep.equal(frames.map((frame) => Buffer.from(frame)));
          expect(splitter.bufferedBytes).to.equal(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('splits frames that come one byte at a time (B5)', () => {
    const frames = [Buffer.from('four'), Buffer.alloc(5000, 7), Buffer.alloc(100_000, 9), Buffer.from('last')];
    expect(pushAll(new FrameSplitter(), wire(...frames), 1)).to.deep.equal(frames);
  });

  it('copies each byte of a frame twice at most, however small the chunks are (W46)', () => {
    const frame = Buffer.alloc(1024 * 1024, 'abcdefg');
    // With its length bytes as large as a frame may be by default, in 16,384 chunks.
    const largest = Buffer.alloc(16 * 1024 * 1024 - 4, 'abcdefg');
    for (const [bytes, chunkBytes] of [
      [largest, 1024],
      [frame, 16_384],
      [frame, 1000],
      [frame.subarray(0, 100_000), 1],
    ] as const) {
      const splitter = new FrameSplitter();
      let frames: Buffer[] = [];
      const copied = bytesCopied(() => {
        frames = pushAll(splitter, wire(bytes), chunkBytes);
      });
      expect(frames[0]?.equals(bytes)).to.equal(true);
      // What the test itself copies to make the wire's bytes is counted too.
      expect(copied - bytes.length - 4).to.be.within(bytes.length, 2 * bytes.length);
    }
  });

  it('accepts a frame of exactly the limit and refuses one byte more at once (B1)', () => {
    const splitter = new FrameSplitter();
    splitter.push(lengthOnly(16_777_212));
    expect(splitter.next()).to.equal(undefined);

    const refusing = new FrameSplitter();
    refusing.push(lengthOnly(16_777_213));
    expect(() => refusing.next())
      .to.throw(FrameTooLargeError, 'a frame of 16777217 bytes exceeds the limit of 16777216 bytes')
      .with.include({ frameBytes: 16_777_217, maxFrameBytes: 16_777_216 });
  });

  const bad: [string, Buffer, typeof DecodeError | typeof FrameTooLargeError][] = [
    ['length -1 (B2)', lengthOnly(0xffffffff), FrameTooLargeError],
    ['length 0x7fffffff (B2)', lengthOnly(0x7fffffff), FrameTooLargeError],
    ['text of HTTP (B2)', Buffer.from('GET / HTTP/1.1\r\n\r\n'), FrameTooLargeError],
    ['length 0 (B2)', lengthOnly(0), DecodeError],
    ['length 3 (B2)', lengthOnly(3), DecodeError],
  ];
  for (const [what, bytes, error] of bad) {
    it(`refuses ${what}`, () => {
      const splitter = new FrameSplitter();
      splitter.push(bytes);
      expect(() => splitter.next()).to.throw(error);
    });
  }

  it('hands over the frames before a bad length, then refuses further use', () => {
    const splitter = new FrameSplitter();
    splitter.push(Buffer.concat([wire(Buffer.from('good')), lengthOnly(1), Buffer.from('junk')]));
    expect(splitter.next()?.toString()).to.equal('good');
    expect(() => splitter.next()).to.throw(DecodeError, 'a frame announces 1 bytes, but its header word alone takes 4');
    expect(() => splitter.next()).to.throw(DecodeError, 'a frame announces 1 bytes');
    expect(() => splitter.push(Buffer.from('more'))).to.throw(DecodeError, 'a frame announces 1 bytes');
    expect(splitter.bufferedBytes).to.equal(0);
  });

  it('applies its own limit', () => {
    const splitter = new FrameSplitter(100);
    splitter.push(lengthOnly(97));
    expect(() => splitter.next()).to.throw(FrameTooLargeError, 'exceeds the limit of 100 bytes');
  });

  it('ignores empty chunks', () => {
    const splitter = new FrameSplitter();
    splitter.push(Buffer.alloc(0));
    expect(splitter.next()).to.equal(undefined);
    expect(splitter.bufferedBytes).to.equal(0);
  });

  it('gives the same frames of bytes that are lent, wherever they are cut and however many frames wait', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 4, max: 300 }), fc.constantFrom(4_096, 5_000, 65_536, 200_000)), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.array(fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constantFrom(4_095, 30_000, 65_536)), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.nat(3),
        (lengths, chunkBytes, left) => {
          const sent = lengths.map((length, i) => Buffer.alloc(length, i + 1));
          const scale = sent.some(({ length }) => length > 4_096) ? 8 : 1;
          const chunks = chunkBytes.map((bytes) => Math.min(PAGE_BYTES, bytes * scale));
          const got = lendAll(new FrameSplitter(), wire(...sent), chunks, left);
          expect(got.map(({ length }) => length)).to.deep.equal(lengths);
          for (const [i, frame] of got.entries()) expect(frame.equals(sent[i] as Buffer), `frame ${i}`).to.equal(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('puts a large frame that is lent into pages, copies each byte once, and allocates no more than twice what came', () => {
    const splitter = new FrameSplitter();
    const bytes = wire(Buffer.alloc(1_000_000, 7));
    const copied = bytesCopied(() => {
      for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
        const chunk = bytes.subarray(at, at + PAGE_BYTES);
        readMemory.set(chunk);
        splitter.push(lentBytes(chunk.length));
        expect(splitter.advance()).to.equal(at + PAGE_BYTES >= bytes.length);
      }
    });
    // This test copies all of them once itself.
    expect(copied).to.equal(bytes.length + 1_000_000);
    expect(splitter.framePages).to.have.length(Math.ceil(1_000_000 / PAGE_BYTES));
    const pieces = splitter.framePieces ?? [];
    expect(Buffer.concat(pieces)).to.deep.equal(Buffer.alloc(1_000_000, 7));
    expect(pieces.every(({ buffer }) => buffer.byteLength === PAGE_BYTES)).to.equal(true);
  });
});
