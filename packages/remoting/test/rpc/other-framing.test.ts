import { expect } from 'chai';
import {
  type Channel,
  type ChannelHandler,
  type ChannelHandlerContext,
  defineCommand,
  RemotingClient,
  RemotingCommand,
  RemotingServer,
  t,
  type WriteListener,
} from '../../src/index.js';

interface Line {
  readonly code: number;
  readonly opaque: number;
  readonly flag: number;
  readonly extFields?: Record<string, string>;
}

/** Each command is a line of JSON. */
class LineEncoder implements ChannelHandler {
  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    ctx.write(message instanceof RemotingCommand ? this.#line(message) : message, listener);
  }

  #line({ code, opaque, flag, extFields }: RemotingCommand): Buffer {
    return Buffer.from(`${JSON.stringify({ code, opaque, flag, extFields })}\n`);
  }
}

class LineDecoder implements ChannelHandler {
  #rest = '';

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    const lines = (this.#rest + String(message)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) ctx.fireChannelRead(new RemotingCommand(JSON.parse(line) as Line));
  }
}

const Double = defineCommand({ code: 7, name: 'DOUBLE', request: { of: t.int() }, response: { is: t.int() } });

describe('A connection whose frameDecoder and frameEncoder were replaced', () => {
  function initChannel({ pipeline }: Channel): void {
    pipeline.replace('frameDecoder', 'frameDecoder', new LineDecoder());
    pipeline.replace('frameEncoder', 'frameEncoder', new LineEncoder());
  }

  it('carries typed calls in another format, both ways', async () => {
    await using server = new RemotingServer({ host: '127.0.0.1', port: 0, initChannel });
    await using client = new RemotingClient({ initChannel });
    server.handle(Double, ({ header }) => ({ header: { is: 2 * header.of } }));
    await server.start();
    const calls = [1, 2, 3].map((of) => client.call(server.address, Double, { of }));
    expect((await Promise.all(calls)).map(({ header }) => header.is)).to.deep.equal([2, 4, 6]);
  });
});
