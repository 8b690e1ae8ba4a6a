import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import type { WriteListener } from '../../src/channel/channel-handler.js';
import type { ChannelHandlerContext } from '../../src/channel/channel-handler-context.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { CommandError, DecodeError, RemotingError } from '../../src/errors.js';
import { silentLogger } from '../../src/logger.js';
import { CommandDispatcher } from '../../src/rpc/command-dispatcher.js';
import { RemotingCore } from '../../src/rpc/remoting-core.js';
import type { RequestProcessor } from '../../src/rpc/request-processor.js';
import type { InvokeCallback, ResponseFuture } from '../../src/rpc/response-future.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';

type CoreOptions = ConstructorParameters<typeof RemotingCore>[0];

function setUp(options: Partial<CoreOptions> = {}): {
  core: RemotingCore;
  channel: EmbeddedChannel;
  clock: ManualClock;
} {
  const clock = new ManualClock();
  const core = new RemotingCore({
    logger: silentLogger,
    version: 479,
    language: 'JAVA',
    responseSerializeType: 'request',
    asyncPermits: 2,
    onewayPermits: 2,
    ...options,
  });
  return { core, clock, channel: new EmbeddedChannel([['dispatcher', new CommandDispatcher(core)]]) };
}

const request = (code: number, opaque: number, init = {}): RemotingCommand =>
  RemotingCommand.request(code, { opaque, ...init });
const ONEWAY = { flag: 2 };
const echo: RequestProcessor = {
  processRequest: (_ctx, asked) => RemotingCommand.response(0, undefined, { body: asked.body }),
};

function answer(channel: EmbeddedChannel): RemotingCommand | undefined {
  const message = channel.readOutbound();
  expect(message === undefined || message instanceof RemotingCommand).to.equal(true);
  return message as RemotingCommand | undefined;
}

describe('RemotingCore: requests', () => {
  it('answers with the request opaque, the response bit, its own version and language', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(9, echo);
    channel.writeInbound(request(9, -7, { language: 'GO', version: 317 }));
    expect(answer(channel)).to.deep.include({ code: 0, opaque: -7, flag: 1, version: 479, language: 'JAVA' });
  });

  it('answers in the header format of the request', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(9, echo);
    channel.writeInbound(request(9, 1, { serializeType: SerializeType.ROCKETMQ }));
    expect(answer(channel)?.serializeType).to.equal(SerializeType.ROCKETMQ);
  });

  it('answers in its own header format when told so, as 4.7.1 and 5.3.3 do', () => {
    const { core, channel } = setUp({ responseSerializeType: SerializeType.JSON });
    core.requests.processorTable.register(9, echo);
    channel.writeInbound(request(9, 1, { serializeType: SerializeType.ROCKETMQ }));
    expect(answer(channel)?.serializeType).to.equal(SerializeType.JSON);
  });

  it('answers code 3 when there is neither a processor nor a default one', () => {
    const { channel } = setUp();
    channel.writeInbound(request(99, 5));
    expect(answer(channel)).to.deep.include({ code: 3, opaque: 5, flag: 1, remark: ' request type 99 not supported' });
  });

  it('falls back to the default processor', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo);
    core.requests.processorTable.registerDefault({ processRequest: () => RemotingCommand.response(17) });
    channel.writeInbound(request(99, 5));
    expect(answer(channel)?.code).to.equal(17);
  });

  it('never answers a oneway request: not when unsupported, rejected, failed or served', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo);
    core.requests.processorTable.register(2, { processRequest: () => expect.fail('boom') });
    core.requests.processorTable.register(3, { ...echo, rejectRequest: () => true });
    for (const code of [1, 2, 3, 99]) channel.writeInbound(request(code, code, ONEWAY));
    expect(answer(channel)).to.equal(undefined);
    expect(channel.isActive).to.equal(true);
  });

  it('answers SYSTEM_ERROR with name and message, without the stack, when a processor throws', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, {
      processRequest: () => {
        throw new TypeError('boom');
      },
    });
    channel.writeInbound(request(1, 1));
    expect(answer(channel)).to.deep.include({ code: 1, remark: 'TypeError: boom', extFields: undefined });
  });

  it('answers SYSTEM_ERROR when a processor rejects later', async () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, { processRequest: () => Promise.reject(new TypeError('later')) });
    channel.writeInbound(request(1, 1));
    expect(core.requests.requestsInFlight).to.equal(1);
    await core.requests.whenIdle();
    expect(answer(channel)?.remark).to.equal('TypeError: later');
    expect(core.requests.requestsInFlight).to.equal(0);
  });

  it('answers exactly what a thrown CommandError says', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, {
      processRequest: () => {
        throw new CommandError(16, 'no permission');
      },
    });
    channel.writeInbound(request(1, 1));
    expect(answer(channel)).to.deep.include({ code: 16, remark: 'no permission' });
  });

  it('stays silent, and open, when a processor gives no answer', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, { processRequest: () => undefined });
    core.requests.processorTable.register(2, { processRequest: () => null as never });
    channel.writeInbound(request(1, 1));
    channel.writeInbound(request(2, 2));
    expect(answer(channel)).to.equal(undefined);
    expect(channel.isActive).to.equal(true);
  });

  it('answers SYSTEM_BUSY while a processor rejects', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, { ...echo, rejectRequest: () => true });
    channel.writeInbound(request(1, 1));
    expect(answer(channel)).to.deep.include({
      code: 2,
      remark: '[REJECTREQUEST]system busy, start flow control for a while',
    });
  });

  it('waits for the promise of another library', async () => {
    const { core, channel } = setUp();
    // biome-ignore lint/suspicious/noThenProperty: that is what a promise of another library is
    const thenable = { then: (resolve: (response: RemotingCommand) => void) => resolve(RemotingCommand.response(7)) };
    core.requests.processorTable.register(1, { processRequest: () => thenable as never });
    channel.writeInbound(request(1, 1));
    await core.requests.whenIdle();
    expect(answer(channel)?.code).to.equal(7);
  });

  it('gives a processor that asks late the signal of a connection that has ended', async () => {
    const { core, channel } = setUp();
    let ask = (): boolean => false;
    core.requests.processorTable.register(1, {
      processRequest: (ctx) => {
        ask = () => ctx.signal.aborted;
        return undefined;
      },
    });
    channel.writeInbound(request(1, 1));
    channel.destroy();
    expect(ask()).to.equal(true);
  });

  it('drops the answer of a connection that has closed, and tells the processor by its signal', async () => {
    const { core, channel } = setUp();
    let finish = (_: RemotingCommand): void => {};
    let signal: AbortSignal | undefined;
    core.requests.processorTable.register(1, {
      processRequest: (ctx) => {
        signal = ctx.signal;
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    channel.writeInbound(request(1, 1));
    expect(signal?.aborted).to.equal(false);
    channel.destroy();
    expect(signal?.aborted).to.equal(true);
    finish(RemotingCommand.response(0));
    await core.requests.whenIdle();
    expect(answer(channel)).to.equal(undefined);
  });
});

describe('RemotingCore: answers that cannot be', () => {
  /** An encoder that refuses bodies, as the real one refuses frames above the limit. */
  const encoder = {
    write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
      if (message instanceof RemotingCommand && message.body !== undefined)
        listener?.(new RemotingError('ENCODE_FAILED', 'no bodies here'));
      else ctx.write(message, listener);
    },
  };

  it('become SYSTEM_ERROR in the header format of the request', () => {
    const { core } = setUp();
    const channel = new EmbeddedChannel([
      ['encoder', encoder],
      ['dispatcher', new CommandDispatcher(core)],
    ]);
    core.requests.processorTable.register(1, echo);
    channel.writeInbound(request(1, 3, { body: Buffer.from('x'), serializeType: SerializeType.ROCKETMQ }));
    expect(answer(channel)).to.deep.include({
      code: 1,
      opaque: 3,
      version: 479,
      remark: 'no bodies here',
      serializeType: SerializeType.ROCKETMQ,
    });
    expect(core.counters.systemErrors).to.equal(1);
  });

  it('are logged as errors of ours, requests that do not decode at debug', () => {
    const levels: string[] = [];
    const logger = {
      debug: () => levels.push('debug'),
      info: () => levels.push('info'),
      warn: () => levels.push('warn'),
      error: () => levels.push('error'),
    };
    const { core, channel } = setUp({ logger });
    const throwing = (error: Error): RequestProcessor => ({
      processRequest: () => {
        throw error;
      },
    });
    core.requests.processorTable.register(1, throwing(new DecodeError('a header that is none')));
    core.requests.processorTable.register(2, throwing(new RemotingError('ENCODE_FAILED', 'our own header')));
    core.requests.processorTable.register(3, throwing(new CommandError(16, 'no')));
    for (const code of [1, 2, 3]) channel.writeInbound(request(code, code));
    expect(levels).to.deep.equal(['debug', 'error']);
  });

  it('keep the version that the processor gave them', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, {
      processRequest: () => RemotingCommand.response(0, undefined, { version: 355 }),
    });
    channel.writeInbound(request(1, 1));
    expect(answer(channel)?.version).to.equal(355);
  });

  it('take the code of a CommandError of another installed copy of this package', () => {
    const { core, channel } = setUp();
    const error = Object.assign(Object.create({ [Symbol.for('@rmqns/remoting/RemotingError')]: true }), {
      code: 'COMMAND_FAILED',
      responseCode: 17,
      remark: 'elsewhere',
    });
    core.requests.processorTable.register(1, { processRequest: () => Promise.reject(error) });
    channel.writeInbound(request(1, 1));
    return core.requests.whenIdle().then(() => {
      expect(answer(channel)).to.deep.include({ code: 17, remark: 'elsewhere' });
    });
  });
});

describe('RemotingCore: hooks', () => {
  it('run in registration order before and after the processor, also without an answer and for oneway requests', () => {
    const { core, channel } = setUp();
    const seen: string[] = [];
    const hook = (name: string) => ({
      doBeforeRequest: (_: string, asked: RemotingCommand) => void seen.push(`${name} before ${asked.opaque}`),
      doAfterResponse: (_: string, asked: RemotingCommand, response: RemotingCommand | undefined) =>
        void seen.push(`${name} after ${asked.opaque} ${response?.code}`),
    });
    const first = hook('a');
    core.registerRpcHook(first);
    core.registerRpcHook(hook('b'));
    core.registerRpcHook(first);
    core.requests.processorTable.register(1, echo);
    core.requests.processorTable.register(2, { processRequest: () => undefined });
    channel.writeInbound(request(1, 1));
    channel.writeInbound(request(2, 2, ONEWAY));
    expect(seen).to.deep.equal([
      'a before 1',
      'b before 1',
      'a after 1 0',
      'b after 1 0',
      'a before 2',
      'b before 2',
      'a after 2 undefined',
      'b after 2 undefined',
    ]);
  });

  it('that throw give the caller SYSTEM_ERROR in place of the answer', () => {
    const { core, channel } = setUp();
    core.requests.processorTable.register(1, echo);
    let before = true;
    core.registerRpcHook({
      doBeforeRequest: () => {
        if (before) throw new TypeError('before');
      },
      doAfterResponse: () => {
        throw new TypeError('after');
      },
    });
    channel.writeInbound(request(1, 1));
    expect(answer(channel)).to.deep.include({ code: 1, remark: 'TypeError: before' });
    before = false;
    channel.writeInbound(request(1, 2));
    expect(answer(channel)).to.deep.include({ code: 1, opaque: 2, remark: 'TypeError: after' });
  });
});

describe('RemotingCore: calls', () => {
  type Ended = { error: RemotingError | undefined; response: RemotingCommand | undefined; settled: number };

  function call(core: RemotingCore, channel: EmbeddedChannel, clock: ManualClock, timeoutMillis = 500): Ended {
    const ended: Ended = { error: undefined, response: undefined, settled: 0 };
    const future = core.calls.begin({ clock, timeoutMillis }, (error, response) =>
      Object.assign(ended, { error, response, settled: ended.settled + 1 }),
    );
    core.calls.send(future, channel, RemotingCommand.request(1));
    return ended;
  }

  it('end with the response of their opaque, whatever the order', () => {
    const { core, channel, clock } = setUp();
    const [a, b] = [call(core, channel, clock), call(core, channel, clock)];
    channel.writeInbound(RemotingCommand.response(11, undefined, { opaque: 1 }));
    channel.writeInbound(RemotingCommand.response(10, undefined, { opaque: 0 }));
    expect([a.response?.code, b.response?.code]).to.deep.equal([10, 11]);
    expect(core.calls.responseTable.size).to.equal(0);
  });

  it('end with TIMEOUT at their timeout, not before; a later response is counted and dropped', () => {
    const { core, channel, clock } = setUp();
    const ended = call(core, channel, clock);
    clock.advance(499);
    expect(ended.settled).to.equal(0);
    clock.advance(1);
    expect(ended.error).to.deep.include({
      code: 'TIMEOUT',
      opaque: 0,
      message: 'wait response on the channel <embedded:1> timeout, 500(ms)',
    });
    channel.writeInbound(RemotingCommand.response(0, undefined, { opaque: 0 }));
    expect(ended.settled).to.equal(1);
    expect(core.counters.lateResponses).to.equal(1);
    expect(channel.isActive).to.equal(true);
  });

  it('end with CONNECTION_CLOSED at once when their connection closes, and leave no timer', () => {
    const { core, channel, clock } = setUp();
    const other = new EmbeddedChannel([['dispatcher', new CommandDispatcher(core)]]);
    const calls = [call(core, channel, clock), call(core, channel, clock)];
    const unhurt = call(core, other, clock);
    channel.destroy();
    expect(calls.map((ended) => ended.error?.code)).to.deep.equal(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    expect(unhurt.settled).to.equal(0);
    expect([core.calls.responseTable.size, clock.pendingTimers]).to.deep.equal([1, 1]);
  });

  it('are not ended by a response that comes over another connection', () => {
    const { core, channel, clock } = setUp();
    const other = new EmbeddedChannel([['dispatcher', new CommandDispatcher(core)]]);
    const ended = call(core, channel, clock);
    other.writeInbound(RemotingCommand.response(0, undefined, { opaque: 0 }));
    expect([ended.settled, core.counters.lateResponses]).to.deep.equal([0, 1]);
  });

  it('leave the caller’s request as it was, so that it can be sent again', () => {
    const { core, channel, clock } = setUp();
    const asked = RemotingCommand.request(1);
    core.registerRpcHook({
      doBeforeRequest: (_, sent) => {
        sent.remark = 'signed';
      },
    });
    for (const expected of [0, 1, 2]) {
      core.calls.send(
        core.calls.begin({ clock, timeoutMillis: 500 }, () => {}),
        channel,
        asked,
      );
      expect(answer(channel)).to.deep.include({ opaque: expected, remark: 'signed', version: 479 });
    }
    expect(asked).to.deep.include({ opaque: 0, remark: undefined, version: 0 });
  });

  it('that ended before their connection stood are not sent', () => {
    const { core, channel, clock } = setUp();
    const future = core.calls.begin({ clock, timeoutMillis: 500 }, () => {});
    clock.advance(500);
    core.calls.send(future, channel, RemotingCommand.request(1));
    expect(answer(channel)).to.equal(undefined);
    expect(core.calls.responseTable.size).to.equal(0);
  });

  it('take their abort listener back, and warn of none, however many share a signal', () => {
    const { core, channel, clock } = setUp();
    const controller = new AbortController();
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 20; i++) {
      const future = core.calls.begin({ clock, timeoutMillis: 500, signal: controller.signal }, (error) =>
        codes.push(error?.code),
      );
      core.calls.send(future, channel, RemotingCommand.request(1));
    }
    channel.writeInbound(RemotingCommand.response(0, undefined, { opaque: 0 }));
    expect(getEventListeners(controller.signal, 'abort')).to.have.length(19);
    controller.abort();
    expect(codes).to.deep.equal([undefined, ...Array(19).fill('ABORTED')]);
    expect([getEventListeners(controller.signal, 'abort').length, clock.pendingTimers]).to.deep.equal([0, 0]);
  });

  it('oneway: set the bit, take a permit until the bytes are gone, and fail when none is left', () => {
    const { core, channel, clock } = setUp();
    const errors: (string | undefined)[] = [];
    const send = (): void => {
      const future = core.calls.begin({ clock, timeoutMillis: 500 }, (error) => errors.push(error?.code));
      core.calls.sendOneway(future, channel, RemotingCommand.request(1));
    };
    send();
    expect(answer(channel)?.isOneway).to.equal(true);
    expect(errors).to.deep.equal([undefined]);
    expect(core.calls.onewayPermits.free).to.equal(2);
    core.calls.onewayPermits.tryAcquire();
    core.calls.onewayPermits.tryAcquire();
    send();
    expect(errors).to.deep.equal([undefined, 'TOO_MANY_REQUESTS']);
  });

  it('oneway: end at their timeout while the bytes wait, and give the permit back with the bytes', () => {
    const { core, channel, clock } = setUp();
    channel.holdOutbound();
    const errors: (string | undefined)[] = [];
    const future = core.calls.begin({ clock, timeoutMillis: 500 }, (error) => errors.push(error?.code));
    core.calls.sendOneway(future, channel, RemotingCommand.request(1));
    clock.advance(500);
    expect([errors, core.calls.onewayPermits.free]).to.deep.equal([['TIMEOUT'], 1]);
    channel.flushOutbound();
    expect([errors, core.calls.onewayPermits.free]).to.deep.equal([['TIMEOUT'], 2]);
  });

  it('asynchronous: take a permit, tell the callback after the call, and give the permit back, also when that throws', async () => {
    const { core } = setUp();
    const seen: (string | number | undefined)[] = [];
    const free = (): number => core.calls.asyncPermits.free;
    let end: InvokeCallback = () => {};
    core.calls.async(
      'a',
      () => {
        seen.push(free());
        throw new TypeError('in a callback');
      },
      (callback) => {
        end = callback;
      },
    );
    core.calls.async(
      'a',
      () => {},
      () => {},
    );
    core.calls.async(
      'a',
      (error) => seen.push(error?.code),
      () => expect.fail('without a permit'),
    );
    expect(seen).to.deep.equal([]);
    await Promise.resolve();
    end(undefined, undefined);
    expect([seen, free()]).to.deep.equal([['TOO_MANY_REQUESTS', 0], 1]);
    core.calls.async(
      'a',
      () => seen.push('late'),
      (callback) => callback(undefined, undefined),
    );
    expect(seen).to.have.length(2);
    await Promise.resolve();
    expect([seen.at(-1), free()]).to.deep.equal(['late', 1]);
  });

  it('end by what a hook throws before they are sent, or after their answer', () => {
    const { core, channel, clock } = setUp();
    let after = false;
    core.registerRpcHook({
      doBeforeRequest: () => {
        if (!after) throw new TypeError('before');
      },
      doAfterResponse: () => {
        throw new TypeError('after');
      },
    });
    const refused = call(core, channel, clock);
    expect(refused.error).to.deep.include({ code: 'HANDLER_FAILED', opaque: 0 });
    expect(answer(channel)).to.equal(undefined);
    const errors: (string | undefined)[] = [];
    const oneway = core.calls.begin({ clock, timeoutMillis: 500 }, (error) => errors.push(error?.message));
    core.calls.sendOneway(oneway, channel, RemotingCommand.request(1));
    expect([errors, core.calls.onewayPermits.free]).to.deep.equal([['an RPC hook refused the request: before'], 2]);
    after = true;
    const answered = call(core, channel, clock);
    channel.writeInbound(RemotingCommand.response(0, undefined, { opaque: answer(channel)?.opaque ?? -1 }));
    expect(answered.error?.message).to.equal('an RPC hook failed after the answer came: after');
    expect([core.calls.responseTable.size, clock.pendingTimers]).to.deep.equal([0, 0]);
  });

  it('keep what ties the answer to them, whatever a hook writes there', () => {
    const { core, channel, clock } = setUp();
    core.registerRpcHook({
      doBeforeRequest: (_, sent) => {
        sent.opaque = 77;
        sent.flag = 3;
      },
    });
    const ended = call(core, channel, clock);
    expect(answer(channel)).to.deep.include({ opaque: 0, flag: 0 });
    channel.writeInbound(RemotingCommand.response(5, undefined, { opaque: 0 }));
    expect([ended.response?.code, core.calls.responseTable.size]).to.deep.equal([5, 0]);
  });

  it('that a hook aborts are not sent, nor is a oneway request, whose permit comes back', () => {
    const { core, channel, clock } = setUp();
    let controller = new AbortController();
    core.registerRpcHook({ doBeforeRequest: () => controller.abort() });
    const errors: (string | undefined)[] = [];
    const begin = (): ResponseFuture =>
      core.calls.begin({ clock, timeoutMillis: 500, signal: controller.signal }, (error) => errors.push(error?.code));
    core.calls.send(begin(), channel, RemotingCommand.request(1));
    controller = new AbortController();
    core.calls.sendOneway(begin(), channel, RemotingCommand.request(1));
    expect([errors, answer(channel), core.calls.onewayPermits.free]).to.deep.equal([
      ['ABORTED', 'ABORTED'],
      undefined,
      2,
    ]);
  });

  it('are told their end also when their owner fails on the way', () => {
    const { core, clock } = setUp();
    const codes: (string | undefined)[] = [];
    const onSettled = (): never => {
      throw new TypeError('a logger that throws');
    };
    core.calls.begin({ clock, timeoutMillis: 500, onSettled }, (error) => codes.push(error?.code));
    expect(() => clock.advance(500)).to.throw('a logger that throws');
    expect(codes).to.deep.equal(['TIMEOUT']);
  });

  it('end exactly once, whatever ends them and in whatever order, and leave nothing behind', () => {
    type Step = {
      readonly kind: 'send' | 'oneway' | 'answer' | 'tick' | 'abort' | 'close' | 'drain' | 'hold';
      readonly n: number;
    };
    const step = fc.record({
      kind: fc.constantFrom<Step['kind']>('send', 'oneway', 'answer', 'tick', 'abort', 'close', 'drain', 'hold'),
      n: fc.nat({ max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { core, clock } = setUp({ onewayPermits: 3 });
        const open = (): EmbeddedChannel => new EmbeddedChannel([['dispatcher', new CommandDispatcher(core)]]);
        const channels = [open(), open()];
        const calls: { ended: number; controller: AbortController }[] = [];
        for (const { kind, n } of steps) {
          const channel = channels[n % 2] as EmbeddedChannel;
          if (kind === 'send' || kind === 'oneway') {
            const state = { ended: 0, controller: new AbortController() };
            calls.push(state);
            const init = { clock, timeoutMillis: 1 + n * 10, signal: state.controller.signal };
            const future = core.calls.begin(init, () => {
              state.ended++;
            });
            if (kind === 'send') core.calls.send(future, channel, RemotingCommand.request(1));
            else core.calls.sendOneway(future, channel, RemotingCommand.request(1));
          } else if (kind === 'answer') {
            channel.writeInbound(RemotingCommand.response(0, undefined, { opaque: n }));
          } else if (kind === 'tick') clock.advance(n * 5);
          else if (kind === 'abort') calls[n]?.controller.abort();
          else if (kind === 'hold') channel.holdOutbound();
          else if (kind === 'drain') channel.flushOutbound();
          else {
            channel.destroy();
            channels[n % 2] = open();
          }
          for (const { ended } of calls) expect(ended).to.be.below(2);
        }
        for (const channel of channels) channel.destroy();
        clock.advance(1_000);
        expect(calls.every(({ ended }) => ended === 1)).to.equal(true);
        expect([core.calls.responseTable.size, core.calls.onewayPermits.free, clock.pendingTimers]).to.deep.equal([
          0, 3, 0,
        ]);
      }),
    );
  });
});
