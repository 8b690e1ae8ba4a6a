import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { WriteBufferWaterMark } from '../../src/channel/write-buffer-water-mark.js';
import { RemotingError } from '../../src/errors.js';

describe('EmbeddedChannel', () => {
  it('is active from the start, with handlers from a list or an object', () => {
    const log: string[] = [];
    const active = (name: string) => ({ channelActive: () => log.push(name) });
    new EmbeddedChannel([['a', active('a')]]);
    new EmbeddedChannel({ b: active('b') });
    expect(log).to.deep.equal(['a', 'b']);
  });

  it('gives each channel an id of its own', () => {
    const first = new EmbeddedChannel();
    expect(new EmbeddedChannel().id).to.equal(first.id + 1);
  });

  it('fires channelReadComplete after the messages of one call', () => {
    const log: unknown[] = [];
    const channel = new EmbeddedChannel({
      a: { channelRead: (_ctx, message) => log.push(message), channelReadComplete: () => log.push('complete') },
    });
    expect(channel.writeInbound(1, 2)).to.equal(false);
    expect(log).to.deep.equal([1, 2, 'complete']);
  });

  it('fires channelWritabilityChanged once for each edge', () => {
    const edges: boolean[] = [];
    const channel = new EmbeddedChannel(
      { a: { channelWritabilityChanged: (ctx) => edges.push(ctx.channel.isWritable) } },
      { writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }) },
    );
    channel.holdOutbound();
    for (let i = 0; i < 4; i++) channel.writeAndFlush(Buffer.alloc(10));
    expect([edges, channel.pendingBytes]).to.deep.equal([[false], 40]);
    channel.flushOutbound(3);
    expect([edges, channel.pendingBytes]).to.deep.equal([[false], 10]);
    channel.flushOutbound();
    expect([edges, channel.pendingBytes, channel.bytesWritten]).to.deep.equal([[false, true], 0, 40]);
    channel.setWritable(false);
    channel.setWritable(false);
    channel.setWritable(true);
    expect(edges).to.deep.equal([false, true, false, true]);
  });

  it('closes when what was flushed has left, and fails what was not flushed', async () => {
    const results: string[] = [];
    const channel = new EmbeddedChannel();
    channel.holdOutbound();
    channel.writeAndFlush('a', (error) => results.push(`a ${error?.code}`));
    channel.write('b', (error) => results.push(`b ${error?.code}`));
    const closed = channel.close();
    expect([channel.isActive, results]).to.deep.equal([false, ['b CONNECTION_CLOSED']]);
    channel.flushOutbound();
    await closed;
    expect(results).to.deep.equal(['b CONNECTION_CLOSED', 'a undefined']);
    expect(channel.readOutbound()).to.equal('a');
  });

  it('fails all that waits when it is destroyed, with the error given', async () => {
    const error = new RemotingError('CLOSED', 'the server was closed');
    const results: unknown[] = [];
    const channel = new EmbeddedChannel();
    channel.holdOutbound();
    channel.writeAndFlush('a', (cause) => results.push(cause));
    channel.write('b', (cause) => results.push(cause));
    channel.destroy(error);
    channel.write('c', (cause) => results.push(cause?.code));
    channel.destroy();
    expect(results).to.deep.equal([error, error, 'CONNECTION_CLOSED']);
    expect(await channel.closed).to.equal(error);
  });

  it('lets no event reach a handler after destroy, also from a handler under way', () => {
    const log: unknown[] = [];
    const channel = new EmbeddedChannel({
      a: {
        channelRead(ctx, message) {
          ctx.channel.destroy();
          ctx.fireChannelRead(message);
        },
      },
      b: { channelRead: (_ctx, message) => log.push(message), channelInactive: () => log.push('inactive') },
    });
    channel.writeInbound('one', 'two');
    channel.pipeline.fireChannelRead('three');
    expect(log).to.deep.equal(['inactive']);
  });

  it('finishes: closes, rethrows what nobody caught, and tells whether something is left', () => {
    const channel = new EmbeddedChannel();
    channel.writeInbound('x');
    expect(channel.finish()).to.equal(true);
    expect(channel.readInbound()).to.equal('x');
    expect(channel.finish()).to.equal(false);
    const broken = new EmbeddedChannel();
    broken.pipeline.fireExceptionCaught(new RemotingError('DECODE_FAILED', 'bad'));
    expect(() => broken.finish()).to.throw('bad');
  });

  it('keeps the order when a listener writes and flushes', () => {
    const channel = new EmbeddedChannel();
    channel.write('a', () => channel.writeAndFlush('c'));
    channel.write('b');
    channel.flush();
    expect([channel.readOutbound(), channel.readOutbound(), channel.readOutbound()]).to.deep.equal(['a', 'b', 'c']);
  });

  it('counts bytes that a handler keeps among those that wait', () => {
    const channel = new EmbeddedChannel([], {
      writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }),
    });
    const edges: boolean[] = [];
    channel.pipeline.addLast('probe', { channelWritabilityChanged: () => edges.push(channel.isWritable) });
    channel.keepPendingBytes(21);
    expect([channel.pendingBytes, channel.isWritable]).to.deep.equal([21, false]);
    channel.keepPendingBytes(-12);
    expect([channel.pendingBytes, edges]).to.deep.equal([9, [false, true]]);
  });

  it('takes a handler for closing until it has written its last', async () => {
    const channel = new EmbeddedChannel({
      polite: {
        close: (ctx) => {
          ctx.channel.holdClose();
          ctx.close();
        },
      },
    });
    void channel.close();
    expect(channel.isActive).to.equal(false);
    channel.writeAndFlush(Buffer.from('bye'));
    channel.holdOutbound();
    channel.writeAndFlush(Buffer.from('!'));
    channel.releaseClose();
    expect(String(channel.readOutbound())).to.equal('bye');
    channel.flushOutbound();
    expect(String(channel.readOutbound())).to.equal('!');
    expect(await channel.closed).to.equal(undefined);
  });

  it('closes for the end of what the peer sends once no handler keeps messages back', async () => {
    const channel = new EmbeddedChannel();
    channel.holdReads();
    channel.endInput();
    expect(channel.isActive).to.equal(true);
    channel.releaseReads();
    expect(channel.isActive).to.equal(false);
    expect(await channel.closed).to.equal(undefined);
  });
});
