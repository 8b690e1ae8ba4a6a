import { loadStorageNodeVectors, loadVectors } from '@rmqns/test-kit';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import type { SeededRandom } from '../../src/testing/seeded-random.js';

/** What a hostile peer sends: all bytes, and in which pieces. */
export interface FuzzInput {
  readonly bytes: Buffer;
  readonly chunkBytes: readonly number[];
}

/** Longer frames add time and no variety. */
const LONGEST_SEED_BYTES = 4096;

/** Frames that real programs sent, requests and answers of both serializations, and some of ours for what they lack. */
export function loadSeedFrames(): Buffer[] {
  const captured = [...(['4.7.1', '4.9.7', '5.3.3'] as const).flatMap(loadVectors), ...loadStorageNodeVectors()];
  const frames = captured
    .flatMap(({ request, response }) => (response === null ? [request] : [request, response]))
    .map(({ frame_base64: text }) => Buffer.from(text, 'base64'))
    .filter((frame) => frame.length <= LONGEST_SEED_BYTES);
  for (const serializeType of Object.values(SerializeType)) {
    const made = RemotingCommand.request(1, {
      serializeType,
      opaque: 0x7fffffff,
      remark: 'ä€😀"\\\n',
      extFields: createExtFields({ name: '😀', __proto__x: '', times: '2' }),
      body: Buffer.from('body'),
    });
    frames.push(Buffer.concat(encodeFrame(made)));
  }
  return frames;
}

type Mutation = (random: SeededRandom, bytes: Buffer, frames: readonly Buffer[]) => Buffer;

const interesting = [
  0, 1, 3, 4, 5, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0xffffff, 0x7fffffff, 0x80000000, 0xffffffff,
];

const mutations: readonly Mutation[] = [
  function bitFlips(random, bytes) {
    const damaged = Buffer.from(bytes);
    for (let left = random.integer(1, 8); left > 0; left--) {
      const at = random.integer(0, damaged.length - 1);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.integer(0, 7));
    }
    return damaged;
  },
  function truncation(random, bytes) {
    return bytes.subarray(0, random.integer(0, bytes.length - 1));
  },
  function frameLengthLie(random, bytes) {
    const damaged = Buffer.from(bytes);
    if (damaged.length >= 4)
      damaged.writeUInt32BE(pick(random, [...interesting, bytes.length, bytes.length - 5]) >>> 0, 0);
    return damaged;
  },
  function headerLengthLie(random, bytes) {
    const damaged = Buffer.from(bytes);
    if (damaged.length >= 8) damaged.writeUIntBE(pick(random, [...interesting, bytes.length]) & 0xffffff, 5, 3);
    return damaged;
  },
  function innerNumberLie(random, bytes) {
    const damaged = Buffer.from(bytes);
    if (damaged.length >= 16) damaged.writeUInt32BE(pick(random, interesting), random.integer(8, damaged.length - 4));
    return damaged;
  },
  function splice(random, bytes, frames) {
    const other = pick(random, frames);
    const head = bytes.subarray(0, random.integer(0, bytes.length));
    return Buffer.concat([head, other.subarray(random.integer(0, other.length))]);
  },
  function repeat(random, bytes) {
    const from = random.integer(0, bytes.length - 1);
    const part = bytes.subarray(from, from + random.integer(1, 64));
    const copies = new Array<Buffer>(random.integer(1, 50)).fill(part);
    return Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)]);
  },
  function garbageInHeader(random, bytes) {
    const damaged = Buffer.from(bytes);
    const from = Math.min(8, damaged.length);
    for (let at = from; at < Math.min(damaged.length, from + random.integer(1, 40)); at++)
      damaged[at] = random.integer(0, 255);
    return damaged;
  },
  function jsonTokens(random, bytes) {
    const token = pick(random, [
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '\\u',
      ',',
      ':',
      'null',
      '1e999',
      '-',
      '\0',
      '{"a":'.repeat(200),
    ]);
    const at = random.integer(Math.min(8, bytes.length), bytes.length);
    const damaged = Buffer.concat([bytes.subarray(0, at), Buffer.from(token, 'latin1'), bytes.subarray(at)]);
    return random.chance(0.7) ? withTrueLengths(damaged, token.length) : damaged;
  },
  function noise(random) {
    return Buffer.from(Array.from({ length: random.integer(1, 300) }, () => random.integer(0, 255)));
  },
];

/** Lets the lengths tell the truth again, so that what is inside is looked at. */
function withTrueLengths(frame: Buffer, added: number): Buffer {
  if (frame.length < 8) return frame;
  frame.writeUInt32BE(frame.length - 4, 0);
  frame.writeUIntBE((frame.readUIntBE(5, 3) + added) & 0xffffff, 5, 3);
  return frame;
}

/** One input: a few real frames, some of them damaged, in random pieces. */
export function makeInput(random: SeededRandom, frames: readonly Buffer[]): FuzzInput {
  const parts: Buffer[] = [];
  for (let left = random.integer(1, 4); left > 0; left--) {
    let part = pick(random, frames);
    for (let times = random.integer(0, 3); times > 0 && part.length > 0; times--)
      part = pick(random, mutations)(random, part, frames);
    parts.push(part);
  }
  const longest = pick(random, [1, 7, 64, 1024, 65_536]);
  const chunkBytes = Array.from({ length: 16 }, () => random.integer(1, longest));
  return { bytes: Buffer.concat(parts), chunkBytes };
}

/** The bytes of an input in its pieces, and the last piece as long as it must be. */
export function chunksOf({ bytes, chunkBytes }: FuzzInput): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const length = i < 2_000 ? (chunkBytes[i % chunkBytes.length] ?? 1) : bytes.length;
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

function pick<Item>(random: SeededRandom, items: readonly Item[]): Item {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
