import { expect } from 'chai';
import fc from 'fast-check';
import type { ChannelHandler, WriteListener } from '../../src/channel/channel-handler.js';
import type { ChannelHandlerContext } from '../../src/channel/channel-handler-context.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';

const actions = [
  'nothing',
  'removeSelf',
  'removePrevious',
  'removeNext',
  'replaceSelf',
  'replaceNext',
  'addBefore',
  'addAfter',
  'addFirst',
  'addLast',
  'fireFromRemoved',
  'writeFromRemoved',
] as const;
type Action = (typeof actions)[number];

/** A pipeline whose handlers change it, as a list of actions says, in whatever event they happen to be, and that notes what must hold. */
class World {
  readonly channel = new EmbeddedChannel();
  readonly handlers: Tracked[] = [];
  readonly removed: ChannelHandlerContext[] = [];
  readonly sent = { in: 0, out: 0 };
  readonly written: number[] = [];
  readonly settled: number[] = [];
  readonly #actions: Action[];

  constructor(actions: readonly Action[], count: number) {
    this.#actions = [...actions];
    for (let i = 0; i < count; i++) this.channel.pipeline.addLast(...this.entry());
  }

  entry(): [name: string, handler: ChannelHandler] {
    const handler = new Tracked(this, this.handlers.length);
    this.handlers.push(handler);
    return [`h${handler.id}`, handler];
  }

  /** Does the next action of the list, from within an event of `ctx`'s handler. */
  act(ctx: ChannelHandlerContext): void {
    const action = this.#actions.shift();
    const { pipeline } = this.channel;
    const names = pipeline.names();
    const at = names.indexOf(ctx.name);
    const [previous, next] = [names[at - 1], names[at + 1]];
    if (action === 'addFirst') pipeline.addFirst(...this.entry());
    else if (action === 'addLast') pipeline.addLast(...this.entry());
    else if (action === 'fireFromRemoved') this.removed.at(-1)?.fireChannelRead(`in ${this.sent.in++}`);
    else if (action === 'writeFromRemoved') this.write(this.removed.at(-1));
    else if (at < 0) return;
    else if (action === 'removeSelf') pipeline.remove(ctx.name);
    else if (action === 'removePrevious' && previous !== undefined) pipeline.remove(previous);
    else if (action === 'removeNext' && next !== undefined) pipeline.remove(next);
    else if (action === 'replaceSelf') pipeline.replace(ctx.name, ...this.entry());
    else if (action === 'replaceNext' && next !== undefined) pipeline.replace(next, ...this.entry());
    else if (action === 'addBefore') pipeline.addBefore(ctx.name, ...this.entry());
    else if (action === 'addAfter') pipeline.addAfter(ctx.name, ...this.entry());
  }

  write(through: { write(message: unknown, listener?: WriteListener): void } | undefined): void {
    if (through === undefined) return;
    const id = this.sent.out++;
    this.written.push(id);
    through.write(`out ${id}`, () => this.settled.push(id));
  }
}

/** Passes everything on, and fails when it is called before it was added or after it was removed, or twice for one message. */
class Tracked implements ChannelHandler {
  readonly id: number;
  added = 0;
  removedTimes = 0;
  readonly #world: World;
  readonly #seen = new Set<unknown>();

  constructor(world: World, id: number) {
    this.#world = world;
    this.id = id;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    expect([this.added, this.removedTimes]).to.deep.equal([0, 0]);
    this.added++;
    this.#world.act(ctx);
  }

  handlerRemoved(ctx: ChannelHandlerContext): void {
    expect([this.added, this.removedTimes, ctx.isRemoved]).to.deep.equal([1, 0, true]);
    this.removedTimes++;
    this.#world.removed.push(ctx);
    if (this.#world.channel.isActive) this.#world.act(ctx);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    this.#event(ctx, message);
    ctx.fireChannelRead(message);
  }

  channelReadComplete(ctx: ChannelHandlerContext): void {
    this.#event(ctx, undefined);
    ctx.fireChannelReadComplete();
  }

  userEventTriggered(ctx: ChannelHandlerContext, event: unknown): void {
    this.#event(ctx, event);
    ctx.fireUserEventTriggered(event);
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    this.#event(ctx, message);
    ctx.write(message, listener);
  }

  flush(ctx: ChannelHandlerContext): void {
    this.#event(ctx, undefined);
    ctx.flush();
  }

  #event(ctx: ChannelHandlerContext, message: unknown): void {
    expect([this.added, this.removedTimes, ctx.isRemoved]).to.deep.equal([1, 0, false]);
    expect(message !== undefined && this.#seen.has(message)).to.equal(false);
    this.#seen.add(message);
    this.#world.act(ctx);
  }
}

function readAll(read: () => unknown): unknown[] {
  const messages: unknown[] = [];
  for (let message = read(); message !== undefined; message = read()) messages.push(message);
  return messages;
}

describe('a pipeline that its handlers change in any event', () => {
  it('adds and removes each handler once, calls it in between only, and loses and doubles no message (W87)', () => {
    const step = fc.constantFrom('in', 'out', 'event');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...actions), { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        (script, count, steps) => {
          const world = new World(script, count);
          const { channel } = world;
          for (const kind of steps) {
            if (kind === 'in') channel.writeInbound(`in ${world.sent.in++}`);
            else if (kind === 'event') channel.pipeline.fireUserEventTriggered({});
            else {
              world.write(channel);
              channel.flush();
            }
          }
          channel.flush();
          const arrived = readAll(() => channel.readInbound());
          expect(new Set(arrived)).to.deep.equal(new Set(Array.from({ length: world.sent.in }, (_, n) => `in ${n}`)));
          expect(arrived).to.have.length(world.sent.in);
          const left = readAll(() => channel.readOutbound());
          expect(new Set(left)).to.deep.equal(new Set(world.written.map((id) => `out ${id}`)));
          expect(left).to.have.length(world.sent.out);
          expect([...world.settled].sort((a, b) => a - b)).to.deep.equal(world.written);

          const standing = channel.pipeline.names();
          expect(standing).to.have.members(
            world.handlers.filter(({ removedTimes }) => removedTimes === 0).map(({ id }) => `h${id}`),
          );
          channel.destroy();
          channel.checkException();
          for (const { added, removedTimes } of world.handlers) expect([added, removedTimes]).to.deep.equal([1, 1]);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('lets a removed context pass on, but nothing arrives at its handler (W87)', () => {
    const log: string[] = [];
    const named = (name: string): ChannelHandler => ({
      channelRead(ctx, message) {
        log.push(`${name} reads ${message}`);
        ctx.fireChannelRead(message);
      },
      write(ctx, message, listener) {
        log.push(`${name} writes ${message}`);
        ctx.write(message, listener);
      },
    });
    const channel = new EmbeddedChannel({ a: named('a'), b: named('b'), c: named('c') });
    const removed = channel.pipeline.context('b');
    channel.pipeline.remove('b');
    expect([removed?.isRemoved, channel.pipeline.context('b')]).to.deep.equal([true, undefined]);
    removed?.fireChannelRead('1');
    removed?.writeAndFlush('2');
    channel.writeInbound('3');
    expect(log).to.deep.equal(['c reads 1', 'a writes 2', 'a reads 3', 'c reads 3']);
    channel.destroy();
    const codes: unknown[] = [];
    removed?.writeAndFlush('4', (error) => codes.push(error?.code));
    removed?.fireChannelRead('5');
    expect(codes).to.deep.equal(['CONNECTION_CLOSED']);
    expect(log).to.have.length(4);
  });
});
