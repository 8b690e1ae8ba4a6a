import { expect } from 'chai';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { RemotingError } from '../../src/errors.js';

/** A handler that notes every inbound read and passes it on. */
function inbound(name: string, log: string[]): ChannelHandler {
  return {
    channelRead(ctx, message) {
      log.push(name);
      ctx.fireChannelRead(message);
    },
  };
}

function outbound(name: string, log: string[]): ChannelHandler {
  return {
    write(ctx, message, listener) {
      log.push(name);
      ctx.write(message, listener);
    },
  };
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return RemotingError.is(error) ? error.code : String(error);
  }
}

describe('DefaultChannelPipeline', () => {
  it('evaluates the five handlers of its documentation in the order given there', () => {
    const log: string[] = [];
    const channel = new EmbeddedChannel({
      1: inbound('1', log),
      2: inbound('2', log),
      3: outbound('3', log),
      4: outbound('4', log),
      5: { ...inbound('5', log), ...outbound('5', log) },
    });

    channel.writeInbound('in');
    expect(log.splice(0)).to.deep.equal(['1', '2', '5']);
    channel.writeOutbound('out');
    expect(log).to.deep.equal(['5', '4', '3']);
    expect([channel.readInbound(), channel.readOutbound()]).to.deep.equal(['in', 'out']);
  });

  it('starts a write of a context at the handler before it, and one of the channel at the tail', () => {
    const log: string[] = [];
    const channel = new EmbeddedChannel({ a: outbound('a', log), b: {}, c: outbound('c', log) });

    channel.pipeline.context('b')?.writeAndFlush('x');
    expect(log.splice(0)).to.deep.equal(['a']);
    channel.writeAndFlush('y');
    expect(log).to.deep.equal(['c', 'a']);
  });

  it('adds, replaces and removes handlers by name, and calls handlerAdded and handlerRemoved once', () => {
    const log: string[] = [];
    const named = (name: string): ChannelHandler => ({
      handlerAdded: (ctx) => log.push(`+${name}/${ctx.name}`),
      handlerRemoved: (ctx) => log.push(`-${name}/${ctx.isRemoved}`),
    });
    const { pipeline } = new EmbeddedChannel();
    const b = named('b');
    pipeline.addLast('b', b).addFirst('a', named('a')).addAfter('b', 'd', named('d')).addBefore('d', 'c', named('c'));
    expect(pipeline.names()).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(log.splice(0)).to.deep.equal(['+b/b', '+a/a', '+d/d', '+c/c']);

    expect(pipeline.replace('b', 'B', named('B'))).to.equal(b);
    expect(log.splice(0)).to.deep.equal(['+B/B', '-b/true']);
    pipeline.remove('d');
    expect(log.splice(0)).to.deep.equal(['-d/true']);
    expect(pipeline.names()).to.deep.equal(['a', 'B', 'c']);
    expect([pipeline.get('b'), pipeline.context('b')]).to.deep.equal([undefined, undefined]);
    pipeline.replace('B', 'B', b);
    expect(pipeline.get('B')).to.equal(b);
  });

  it('refuses a name that is taken, a base that is unknown and an object that sits somewhere already', () => {
    const { pipeline } = new EmbeddedChannel();
    const handler: ChannelHandler = {};
    pipeline.addLast('a', handler).addLast('b', {});

    expect(codeOf(() => pipeline.addLast('a', {}))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.addBefore('x', 'c', {}))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.addAfter('x', 'c', {}))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.replace('x', 'c', {}))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.replace('a', 'b', {}))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.remove('x'))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => pipeline.addLast('c', handler))).to.equal('INVALID_ARGUMENT');
    expect(codeOf(() => new EmbeddedChannel({ a: handler }))).to.equal('INVALID_ARGUMENT');
    expect(pipeline.names()).to.deep.equal(['a', 'b']);

    pipeline.remove('a');
    pipeline.addLast('c', handler);
    expect(pipeline.get('c')).to.equal(handler);
  });

  it('lets a sharable handler sit in many places', () => {
    const log: string[] = [];
    const shared: ChannelHandler = { sharable: true, ...inbound('s', log) };
    new EmbeddedChannel({ a: shared, b: shared }).writeInbound(1);
    new EmbeddedChannel({ a: shared }).writeInbound(1);
    expect(log).to.deep.equal(['s', 's', 's']);
  });

  it('takes what a handler throws to its own exceptionCaught, and from there to those after it', () => {
    const log: string[] = [];
    const note = (name: string): ChannelHandler => ({
      exceptionCaught(ctx, error) {
        log.push(`${name}: ${error.code} ${error.message}`);
        ctx.fireExceptionCaught(error);
      },
    });
    const boom = new Error('boom');
    const channel = new EmbeddedChannel({
      before: note('before'),
      thrower: {
        ...note('thrower'),
        channelRead() {
          throw boom;
        },
      },
      after: note('after'),
    });

    channel.writeInbound('x');
    const text = 'HANDLER_FAILED handler thrower failed in channelRead: boom';
    expect(log).to.deep.equal([`thrower: ${text}`, `after: ${text}`]);
    expect(channel.isActive).to.equal(false);
    expect(() => channel.checkException())
      .to.throw(RemotingError)
      .with.property('cause', boom);
  });

  it('ends the channel with an error that nobody took, and not with one that a handler took', async () => {
    const error = new RemotingError('DECODE_FAILED', 'bad');
    const taker = new EmbeddedChannel({ a: { exceptionCaught() {} } });
    taker.pipeline.fireExceptionCaught(error);
    taker.checkException();
    expect(taker.isActive).to.equal(true);

    const channel = new EmbeddedChannel();
    channel.pipeline.fireExceptionCaught(error);
    expect(await channel.closed).to.equal(error);
    expect(() => channel.checkException()).to.throw('bad');
  });

  it('does not call exceptionCaught again for what exceptionCaught throws', () => {
    let calls = 0;
    const uncaught: string[] = [];
    const channel = new EmbeddedChannel(
      {
        a: {
          exceptionCaught() {
            calls++;
            throw new Error('again');
          },
        },
      },
      { onUncaught: (error) => uncaught.push(error.message) },
    );
    channel.pipeline.fireExceptionCaught(new RemotingError('DECODE_FAILED', 'first'));
    expect(calls).to.equal(1);
    expect(uncaught).to.deep.equal(['handler a failed in exceptionCaught: again', 'first']);
    expect(channel.isActive).to.equal(false);
  });

  it('fails only the write whose handler throws, and calls its listener once (W88)', () => {
    const results: unknown[] = [];
    const channel = new EmbeddedChannel({
      a: {
        write(ctx, message, listener) {
          if (message === 'told') listener?.(undefined);
          if (message !== 'good') throw new Error(`no ${String(message)}`);
          ctx.write(message, listener);
        },
      },
    });
    for (const message of ['bad', 'told', 'good'])
      channel.writeAndFlush(message, (error) => results.push(error?.message));
    expect(results).to.deep.equal(['handler a failed in write: no bad', undefined, undefined]);
    expect(channel.isActive).to.equal(true);
    channel.checkException();

    channel.write('bad');
    expect(() => channel.checkException()).to.throw('handler a failed in write: no bad');
    expect(channel.isActive).to.equal(true);
  });

  it('guards a listener once, however many handlers might call it, and not for a handler that only passes it on', () => {
    const seen: unknown[] = [];
    const look = (passesListenerOn: boolean): ChannelHandler => ({
      passesListenerOn,
      write(ctx, message, listener) {
        seen.push(listener);
        ctx.write(message, listener);
      },
    });
    const listener = (): void => {};
    const channel = new EmbeddedChannel({ c: look(false), b: look(false), a: look(true) });
    channel.writeAndFlush('x', listener);
    expect(seen[0]).to.equal(listener);
    expect(seen[1]).to.not.equal(listener);
    expect(seen[2]).to.equal(seen[1]);
    channel.writeAndFlush('x');
    expect(seen.slice(3)).to.deep.equal([undefined, undefined, undefined]);
  });

  it('reports what a write listener throws and goes on', () => {
    const channel = new EmbeddedChannel();
    channel.writeAndFlush('x', () => {
      throw new Error('listener');
    });
    expect(() => channel.checkException()).to.throw('a write listener failed: listener');
    expect(channel.isActive).to.equal(true);
  });

  it('closes the channel although a handler throws in close', () => {
    const channel = new EmbeddedChannel({
      a: {
        close() {
          throw new Error('no');
        },
      },
    });
    expect(() => channel.finish()).to.throw('handler a failed in close: no');
    expect(channel.isActive).to.equal(false);
  });

  it('takes a handler out again when its handlerAdded throws', () => {
    const log: string[] = [];
    const channel = new EmbeddedChannel({ last: { exceptionCaught: (_ctx, error) => log.push(error.message) } });
    channel.pipeline.addFirst('a', {
      handlerAdded() {
        throw new Error('unready');
      },
      handlerRemoved: () => log.push('removed'),
    });
    expect(log).to.deep.equal(['removed', 'handler a failed in handlerAdded: unready']);
    expect(channel.pipeline.names()).to.deep.equal(['last']);
  });

  it('lets a handler that removed itself pass on what it has kept', () => {
    const log: string[] = [];
    const channel = new EmbeddedChannel({
      before: inbound('before', log),
      detector: {
        channelRead(ctx, message) {
          ctx.pipeline.addAfter(ctx.name, 'found', inbound('found', log));
          ctx.pipeline.remove(ctx.name);
          ctx.fireChannelRead(message);
          ctx.writeAndFlush('hello');
        },
      },
      after: inbound('after', log),
    });
    channel.writeInbound('bytes');
    expect(log).to.deep.equal(['before', 'found', 'after']);
    expect(channel.readInbound()).to.equal('bytes');
    expect(channel.readOutbound()).to.equal('hello');
  });

  it('removes every handler when the channel has ended, from the tail to the head', () => {
    const log: string[] = [];
    const leaver = (name: string): ChannelHandler => ({
      channelInactive(ctx) {
        log.push(`inactive ${name}`);
        ctx.fireChannelInactive();
      },
      handlerRemoved: () => log.push(`removed ${name}`),
    });
    const channel = new EmbeddedChannel({ a: leaver('a'), b: leaver('b') });
    channel.destroy();
    expect(log).to.deep.equal(['inactive a', 'inactive b', 'removed b', 'removed a']);
    expect(channel.pipeline.names()).to.deep.equal([]);
  });
});
