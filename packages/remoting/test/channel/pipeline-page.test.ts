import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { ConnectionEvents } from '../../src/handler/connection-events.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { FrameEncoder } from '../../src/handler/frame-encoder.js';
import { IdleStateHandler } from '../../src/handler/idle-state-handler.js';
import { ReadBackpressure } from '../../src/handler/read-backpressure.js';
import { createPair } from '../../src/testing.js';

const page = readFileSync(join(repositoryRoot, 'docs/pipeline.md'), 'utf8');

/** The cells of the table under a heading, row by row. */
function table(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const inboundEvents = [
  'channelActive',
  'channelRead',
  'channelReadComplete',
  'channelWritabilityChanged',
  'userEventTriggered',
  'exceptionCaught',
  'channelInactive',
];

function five(log: string[]): EmbeddedChannel {
  const inbound = (name: string): ChannelHandler => ({
    channelRead(ctx, message) {
      log.push(name);
      ctx.fireChannelRead(message);
    },
    handlerRemoved: () => void log.push(name),
  });
  const outbound = (name: string): ChannelHandler => ({
    write(ctx, message, listener) {
      log.push(name);
      ctx.write(message, listener);
    },
    handlerRemoved: () => void log.push(name),
  });
  const channel = new EmbeddedChannel();
  channel.pipeline
    .addLast('1', inbound('1'))
    .addLast('2', inbound('2'))
    .addLast('3', outbound('3'))
    .addLast('4', outbound('4'))
    .addLast('5', { ...inbound('5'), ...outbound('5') });
  return channel;
}

describe('docs/pipeline.md', () => {
  const doing: Readonly<Record<string, (channel: EmbeddedChannel) => void>> = {
    'bytes are read': (channel) => channel.writeInbound(Buffer.from('x')),
    '`channel.write`': (channel) => channel.write(Buffer.from('x')),
    '`ctx.write` in handler 5': (channel) => channel.pipeline.context('5')?.write(Buffer.from('x')),
    '`ctx.write` in handler 2': (channel) => channel.pipeline.context('2')?.write(Buffer.from('x')),
    '`ctx.fireX` in handler 2': (channel) => channel.pipeline.context('2')?.fireChannelRead(Buffer.from('x')),
    'the channel has ended': (channel) => channel.destroy(),
  };

  const order = table('Order of evaluation');

  it('says of each way into the five handlers who is called', () => {
    expect(order.map(([what]) => what)).to.deep.equal(Object.keys(doing));
  });

  for (const [what = '', evaluated] of order) {
    it(`is right that ${what.replaceAll('`', '')}: ${evaluated}`, () => {
      const log: string[] = [];
      doing[what]?.(five(log));
      expect(log.join(', ') || 'none').to.equal(evaluated);
    });
  }

  it('names all events, and how each goes on', () => {
    const rows = table('Going on').map(([event = '', goesOn = '']) => [event.replaceAll('`', ''), goesOn]);
    expect(rows.map(([event]) => event)).to.deep.equal([...inboundEvents, 'write', 'flush', 'close']);
    for (const [event = '', goesOn] of rows) {
      const method = inboundEvents.includes(event) ? `fire${event[0]?.toUpperCase()}${event.slice(1)}` : event;
      expect(goesOn).to.match(new RegExp(`^\`ctx\\.${method}\\(`));
    }
  });

  it('lists the handlers of a server and of a client in their order', async () => {
    const documented = table('The pipelines as built').map(([name = '', , , unlessConfigured]) => ({
      name: name.replaceAll('`', ''),
      isOptional: unlessConfigured === 'absent',
    }));
    const names: string[][] = [];
    const initChannel = (channel: Channel): number => names.push(channel.pipeline.names());
    await using pair = createPair({ server: { initChannel }, client: { initChannel } });
    await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    expect(names).to.have.length(2);
    for (const actual of names) {
      const expected = documented.filter(({ name, isOptional }) => !isOptional || actual.includes(name));
      expect(actual).to.deep.equal(expected.map(({ name }) => name));
    }
  });

  it('is right that each handler can be replaced by its name', async () => {
    const seen: string[] = [];
    const replacing: Readonly<Record<string, () => ChannelHandler>> = {
      frameDecoder: () => new FrameDecoder(),
      frameEncoder: () => new FrameEncoder(),
      idleState: () => new IdleStateHandler({ allIdleMillis: 30_000 }),
      readBackpressure: () => new ReadBackpressure(),
      connectionEvents: () => new ConnectionEvents((event) => seen.push(event)),
      dispatcher: () => ({
        channelRead(ctx, message) {
          const { opaque } = message as RemotingCommand;
          ctx.writeAndFlush(RemotingCommand.response(0, 'by another dispatcher', { opaque }));
        },
      }),
    };
    await using pair = createPair({
      server: {
        initChannel({ pipeline }) {
          for (const [name, make] of Object.entries(replacing)) pipeline.replace(name, name, make());
        },
      },
    });
    const answer = await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    expect(answer.remark).to.equal('by another dispatcher');
    expect(seen).to.deep.equal(['connect']);
    expect(Object.keys(replacing)).to.deep.equal(
      table('The pipelines as built')
        .filter((row) => row[3] !== 'absent')
        .map(([name = '']) => name.replaceAll('`', '')),
    );
  });
});
