import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ChannelHandler, WriteListener } from '../../src/channel/channel-handler.js';
import type { ChannelHandlerContext } from '../../src/channel/channel-handler-context.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import { chaos, createPair } from '../../src/testing.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/**
 * Compresses all bytes in Node's threads, each write as a block with its length before it. Blocks may be done in any order; a chain of promises
 * for each direction passes them on in the order in which they came.
 */
class Compression implements ChannelHandler {
  readonly #blocks = new FrameSplitter();
  #outbound: Promise<unknown> = Promise.resolve();
  #inbound: Promise<unknown> = Promise.resolve();

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    const parts = (Array.isArray(message) ? message : [message]) as Uint8Array[];
    const compressed = deflate(Buffer.concat(parts));
    this.#outbound = this.#outbound.then(async () => {
      const block = await compressed;
      // At least the four bytes that the splitter wants.
      const padded = Buffer.alloc(8 + block.length);
      padded.writeUInt32BE(4 + block.length, 0);
      block.copy(padded, 8);
      ctx.write(padded, listener);
    });
  }

  flush(ctx: ChannelHandlerContext): void {
    this.#outbound = this.#outbound.then(() => ctx.flush());
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    this.#blocks.push(message as Buffer);
    for (let block = this.#blocks.next(); block !== undefined; block = this.#blocks.next()) {
      const inflated = inflate(block.subarray(4));
      // Not more than it can work on, and the peer's end only behind all of it.
      ctx.channel.holdReads();
      this.#inbound = this.#inbound.then(async () => {
        ctx.fireChannelRead(await inflated);
        ctx.fireChannelReadComplete();
        ctx.channel.releaseReads();
      });
    }
  }

  close(ctx: ChannelHandlerContext): void {
    this.#outbound = this.#outbound.then(() => ctx.close());
  }
}

describe('a handler that works asynchronously', () => {
  it('keeps the order of calls and of answers, however large each is and however the bytes are cut (W85)', async () => {
    const [sizes = []] = fc.sample(fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 60, maxLength: 60 }), {
      numRuns: 1,
      seed: 11,
    });
    await using pair = createPair({
      wrapSocket: (socket) => chaos(socket, { seed: 5, splitBytes: 20_000 }),
      server: { initChannel: ({ pipeline }) => pipeline.addBefore('frameDecoder', 'compression', new Compression()) },
      client: { initChannel: ({ pipeline }) => pipeline.addBefore('frameDecoder', 'compression', new Compression()) },
    });
    const served: number[] = [];
    pair.server.registerProcessor(1, {
      processRequest(_ctx, { extFields, body }) {
        served.push(Number(extFields?.['n']));
        return RemotingCommand.response(0, undefined, { body });
      },
    });
    const answered: number[] = [];
    await Promise.all(
      sizes.map(async (size, n) => {
        const body = Buffer.alloc(size, `${n} `);
        const request = RemotingCommand.request(1, { extFields: createExtFields({ n: String(n) }), body });
        const answer = await pair.client.invokeSync(pair.address, request, 8_000);
        answered.push(n);
        expect(body.equals(answer.body ?? Buffer.alloc(0))).to.equal(true);
      }),
    );
    const inOrder = sizes.map((_, n) => n);
    expect([served, answered]).to.deep.equal([inOrder, inOrder]);
  });

  it('lets what it still works on leave before a close', async () => {
    await using pair = createPair({
      server: { initChannel: ({ pipeline }) => pipeline.addBefore('frameDecoder', 'compression', new Compression()) },
      client: { initChannel: ({ pipeline }) => pipeline.addBefore('frameDecoder', 'compression', new Compression()) },
    });
    let got = 0;
    pair.server.registerProcessor(1, {
      processRequest(_ctx, { body }) {
        got = body?.length ?? 0;
        return undefined;
      },
    });
    await pair.client.invokeSync(pair.address, RemotingCommand.request(2), 3_000);
    const oneway = pair.client.invokeOneway(
      pair.address,
      RemotingCommand.request(1, { body: Buffer.alloc(50_000) }),
      3_000,
    );
    await pair.client.close();
    const failure = await oneway.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(RemotingError.is(failure) ? failure.code : failure).to.equal(undefined);
    while (got === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(got).to.equal(50_000);
  });
});
