import { expect } from 'chai';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { createPair } from '../../src/testing.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const throwing = (): never => {
  throw new Error('by mistake');
};

const inbound = ['channelActive', 'channelRead', 'channelReadComplete', 'userEventTriggered', 'flush'] as const;

/** What the owner of a server was told: by its event, by its log, or as the failure of a write. */
async function told(position: 'first' | 'last', handler: ChannelHandler): Promise<string[]> {
  const log: string[] = [];
  const note = (how: string, error: RemotingError): number => log.push(`${how}: ${error.message}`);
  await using pair = createPair({
    server: {
      logger: {
        debug() {},
        info() {},
        warn: (fields) => note('warn', (fields as { err: RemotingError }).err),
        error: (fields) => note('log', (fields as { err: RemotingError }).err),
      },
      initChannel({ pipeline }) {
        if (position === 'first') pipeline.addFirst('mine', handler);
        else pipeline.addLast('mine', handler);
      },
    },
  });
  pair.server.on('exception', (_channel, error) => {
    if (error !== undefined) note('event', error);
  });
  const { client, server } = pair;
  server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
  const call = client.invokeSync(pair.address, RemotingCommand.request(1), 3_000).catch((error) => error.code);
  await turn();
  for (const channel of server.channels) channel.pipeline.fireUserEventTriggered({ type: 'mine' });
  for (let i = 0; i < 10 && log.length === 0; i++) await turn();
  void call;
  for (let i = 0; i < 10; i++) await turn();
  return log;
}

describe('what a handler throws in a server', () => {
  for (const event of inbound) {
    it(`is told once with the handler's name, from ${event} before connectionEvents`, async () => {
      const expected = `handler mine failed in ${event}: by mistake`;
      expect(await told('first', { [event]: throwing })).to.deep.equal([`event: ${expected}`]);
    });
  }

  it('is told once by the log, from handlers behind connectionEvents', async () => {
    for (const event of ['channelActive', 'channelReadComplete', 'userEventTriggered'] as const) {
      const expected = `handler mine failed in ${event}: by mistake`;
      expect(await told('last', { [event]: throwing })).to.deep.equal([`log: ${expected}`]);
    }
  });

  it('is answered with SYSTEM_ERROR, from the write of an answer', async () => {
    await using pair = createPair({
      server: {
        initChannel({ pipeline }) {
          let times = 0;
          const write: ChannelHandler['write'] = (ctx, message, listener) => {
            if (times++ === 0) throw new Error('by mistake');
            ctx.write(message, listener);
          };
          pipeline.addLast('mine', { write });
        },
      },
    });
    pair.server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
    const answer = await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    expect([answer.code, answer.remark]).to.deep.equal([1, 'handler mine failed in write: by mistake']);
  });

  it('is told once when the last handler has outbound events only (W88)', async () => {
    expect(await told('last', { flush: throwing })).to.deep.equal(['log: handler mine failed in flush: by mistake']);
    const noted = await told('last', { write: throwing });
    expect(noted).to.have.length(1);
    expect(noted[0]).to.include('handler mine failed in write: by mistake');
  });
});
