import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { askedFor } from './soak-codes.js';

const much = Buffer.concat(encodeFrame(RemotingCommand.request(askedFor.much)));
const manyRequests = Buffer.concat(new Array<Buffer>(100).fill(much));
const slowFrame = Buffer.concat(encodeFrame(RemotingCommand.request(askedFor.echo, { body: Buffer.alloc(10_000) })));

/** What each kind of hostile peer does with its socket, again and again. */
const kinds: Readonly<Record<string, (socket: Socket, round: number, random: SeededRandom) => void>> = {
  /** Asks for 64 KiB with each of many small requests, and reads nothing. */
  neverReads(socket, round) {
    if (round === 0) socket.pause();
    if (socket.writableLength === 0) socket.write(manyRequests);
  },
  /** Sends half of a frame of 1 MiB, and then nothing. */
  neverFinishes(socket, round) {
    if (round === 0) socket.write(Buffer.concat([lengthOf(1 << 20), Buffer.alloc(512 * 1024)]));
  },
  announces2GiB(socket, round) {
    if (round === 0) socket.write(Buffer.concat([lengthOf(0x7fffffff), Buffer.alloc(1_000)]));
  },
  /** A byte each tenth time. */
  byteByByte(socket, round) {
    if (round % 10 === 0) socket.write(slowFrame.subarray(round / 10, round / 10 + 1));
  },
  noise(socket, _round, random) {
    socket.write(Buffer.from(Array.from({ length: 200 }, () => random.integer(0, 255))));
  },
};

/** Hostile connections of all kinds to one server. Those that the server closes come again. */
export class HostilePeers {
  readonly #address: string;
  readonly #count: number;
  readonly #random = new SeededRandom(9);
  readonly #peers: { readonly kind: string; socket: Socket; rounds: number }[] = [];
  /** How often the server closed a connection of each kind. */
  readonly closed: Record<string, number> = {};

  constructor(address: string, count: number) {
    this.#address = address;
    this.#count = count;
    for (const kind of Object.keys(kinds)) this.closed[kind] = 0;
  }

  /** Connects all, which then do nothing yet. */
  async connect(): Promise<void> {
    const names = Object.keys(kinds);
    for (let i = this.#peers.length; i < this.#count; i++)
      this.#peers.push({ kind: names[i % names.length] ?? '', socket: this.#connect(), rounds: 0 });
    await Promise.all(this.#peers.map(({ socket }) => (socket.connecting ? once(socket, 'connect') : undefined)));
  }

  /** Lets each peer act once; those that were cut off connect anew. */
  act(): void {
    for (const peer of this.#peers) {
      if (peer.socket.destroyed) {
        this.closed[peer.kind] = (this.closed[peer.kind] ?? 0) + 1;
        peer.socket = this.#connect();
        peer.rounds = 0;
      } else if (!peer.socket.connecting && peer.socket.writable)
        kinds[peer.kind]?.(peer.socket, peer.rounds++, this.#random);
    }
  }

  async leave(): Promise<void> {
    const sockets = this.#peers.splice(0).map(({ socket }) => socket);
    await Promise.all(
      sockets.map((socket) => {
        if (socket.closed) return undefined;
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.destroy();
        return closed;
      }),
    );
  }

  #connect(): Socket {
    const socket = connect({ ...parseSocketAddress(this.#address), allowHalfOpen: false });
    socket.on('error', () => {});
    socket.resume();
    return socket;
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}
