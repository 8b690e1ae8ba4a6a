import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

/** Asks over bare sockets, so that nothing of a client is counted. */
class Asker {
  readonly #socket: net.Socket;
  readonly #splitter = new FrameSplitter();
  readonly answers: Buffer[] = [];
  #told: () => void = () => {};

  constructor(port: number) {
    this.#socket = net.connect({ port, host: '127.0.0.1' });
    this.#socket.on('data', (chunk) => {
      this.#splitter.push(chunk);
      for (let frame = this.#splitter.next(); frame !== undefined; frame = this.#splitter.next())
        this.answers.push(frame);
      this.#told();
    });
  }

  /** Resolves when all that was asked is answered. */
  async ask(bodies: readonly string[]): Promise<void> {
    const wanted = this.answers.length + bodies.length;
    const frames = bodies.flatMap((body) => encodeFrame(RemotingCommand.request(1, { body: Buffer.from(body) })));
    this.#socket.write(Buffer.concat(frames));
    while (this.answers.length < wanted) await new Promise<void>((told) => (this.#told = told));
  }

  async end(): Promise<void> {
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }
}

/** The memory that answers lie in, as it is handed to the sockets. */
async function memoryOfAnswers(
  server: RemotingServer,
  run: (port: number) => Promise<void>,
): Promise<Set<ArrayBufferLike>> {
  server.registerProcessor(1, { processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }) });
  await server.start();
  const memory = new Set<ArrayBufferLike>();
  server.on('connect', (channel) => {
    const { write } = net.Socket.prototype;
    expect(channel.isActive).to.equal(true);
    net.Socket.prototype.write = function (this: net.Socket, chunk: Buffer, ...rest: []) {
      if (this.localPort === Number(server.address.split(':')[1])) memory.add(chunk.buffer);
      return write.call(this, chunk, ...rest);
    } as typeof write;
    restore.push(() => {
      net.Socket.prototype.write = write;
    });
  });
  try {
    await run(Number(server.address.split(':')[1]));
  } finally {
    await server.destroy();
  }
  return memory;
}

const restore: (() => void)[] = [];

describe('answers that leave at once', () => {
  afterEach(() => {
    for (const undo of restore.splice(0).reverse()) undo();
  });

  const bodies = (round: number): string[] => Array.from({ length: 20 }, (_, i) => `${round}-${i}-`.padEnd(1_000, 'x'));

  it('lie in the same memory, and each comes as it was made', async () => {
    const memory = await memoryOfAnswers(new RemotingServer({ port: 0 }), async (port) => {
      const askers = [new Asker(port), new Asker(port)];
      for (let round = 0; round < 50; round++) await Promise.all(askers.map((asker) => asker.ask(bodies(round))));
      for (const { answers } of askers) {
        expect(answers).to.have.length(1_000);
        for (const [i, answer] of answers.entries())
          expect(answer.includes(`${Math.floor(i / 20)}-${i % 20}-`), `answer ${i}`).to.equal(true);
      }
      for (const asker of askers) await asker.end();
    });
    // Two million bytes would take 32 slabs. The first write of a socket gives nothing back, and an empty one comes behind a late one.
    expect(memory.size).to.be.below(8);
  });

  it('are left alone when a handler in between has seen them', async () => {
    const seen: Buffer[] = [];
    const keeper = (): ChannelHandler => ({
      write(ctx, message, listener) {
        if (message instanceof Uint8Array) seen.push(message as Buffer);
        ctx.write(message, listener);
      },
    });
    const initChannel = ({ pipeline }: Channel): void => {
      pipeline.addFirst('keeper', keeper());
    };
    await memoryOfAnswers(new RemotingServer({ port: 0, initChannel }), async (port) => {
      const asker = new Asker(port);
      for (let round = 0; round < 50; round++) await asker.ask(bodies(round));
      await asker.end();
    });
    expect(seen).to.have.length(1_000);
    for (const [i, frame] of seen.entries())
      expect(frame.includes(`${Math.floor(i / 20)}-${i % 20}-`), `frame ${i}`).to.equal(true);
  });
});
