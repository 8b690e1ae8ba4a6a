import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { CommandDispatcher } from '../../src/rpc/command-dispatcher.js';
import type { RemotingCore } from '../../src/rpc/remoting-core.js';
import type { InvokeCallback, ResponseFuture, ResponseFutureInit } from '../../src/rpc/response-future.js';
import { EmbeddedChannel, type ManualClock } from '../../src/testing.js';
import { answer, setUp } from './remoting-core-fixture.js';

describe('RemotingCore: calls', () => {
  const init = (clock: ManualClock): ResponseFutureInit => ({
    clock,
    timeoutMillis: 500,
    request: RemotingCommand.request(1),
    address: 'a:1',
  });

  type Ended = { error: RemotingError | undefined; response: RemotingCommand | undefined; settled: number };

  function call(core: RemotingCore, channel: EmbeddedChannel, clock: ManualClock, timeoutMillis = 500): Ended {
    const ended: Ended = { error: undefined, response: undefined, settled: 0 };
    const future = core.calls.begin({ clock, timeoutMillis, request: RemotingCommand.request(1) }, (error, response) =>
      Object.assign(ended, { error, response, settled: ended.settled + 1 }),
    );
    core.calls.send(future, channel);
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

  it('end with TIMEOUT at their timeout, not before; a later response is counted and dropped (W8)', () => {
    const { core, channel, clock } = setUp();
    const ended = call(core, channel, clock);
    clock.advance(499);
    expect(ended.settled).to.equal(0);
    clock.advance(1);
    expect(ended.error).to.deep.include({
      code: 'TIMEOUT',
      opaque: 0,
      sent: 'maybe',
      phase: 'wait',
      timings: { dial: 0, queue: 0, write: 0, wait: 500 },
      message:
        'request 1 to embedded:1 timed out after 500 ms (dial 0, queue 0, sent, no answer): ' +
        'wait response on the channel <embedded:1> timeout, 500(ms)',
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
        core.calls.begin({ clock, timeoutMillis: 500, request: asked }, () => {}),
        channel,
      );
      expect(answer(channel)).to.deep.include({ opaque: expected, remark: 'signed', version: 479 });
    }
    expect(asked).to.deep.include({ opaque: 0, remark: undefined, version: 0 });
  });

  it('carry the language of the options, unless the request says another', () => {
    const { core, channel, clock } = setUp({ language: 'NODE_JS' });
    for (const [language, expected] of [
      ['JAVA', 'NODE_JS'],
      ['GO', 'GO'],
    ] as const) {
      const asked = RemotingCommand.request(103, { language });
      core.calls.send(
        core.calls.begin({ clock, timeoutMillis: 500, request: asked }, () => {}),
        channel,
      );
      expect(answer(channel)).to.include({ language: expected });
      expect(asked.language).to.equal(language);
    }
  });

  it('that ended before their connection stood are not sent', () => {
    const { core, channel, clock } = setUp();
    const future = core.calls.begin(init(clock), () => {});
    clock.advance(500);
    core.calls.send(future, channel);
    expect(answer(channel)).to.equal(undefined);
    expect(core.calls.responseTable.size).to.equal(0);
  });

  it('take their abort listener back, and warn of none, however many share a signal', () => {
    const { core, channel, clock } = setUp();
    const controller = new AbortController();
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 20; i++) {
      const future = core.calls.begin({ ...init(clock), signal: controller.signal }, (error) =>
        codes.push(error?.code),
      );
      core.calls.send(future, channel);
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
      const future = core.calls.begin({ ...init(clock), isOneway: true }, (error) => errors.push(error?.code));
      core.calls.send(future, channel);
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
    const future = core.calls.begin({ ...init(clock), isOneway: true }, (error) => errors.push(error?.code));
    core.calls.send(future, channel);
    clock.advance(500);
    expect([errors, core.calls.onewayPermits.free]).to.deep.equal([['TIMEOUT'], 1]);
    channel.flushOutbound();
    expect([errors, core.calls.onewayPermits.free]).to.deep.equal([['TIMEOUT'], 2]);
  });

  it('under a permit: give it back after their callback, also when that throws, and fail when none is left', () => {
    const { core, channel, clock } = setUp();
    const { asyncPermits } = core.calls;
    const seen: (string | number | undefined)[] = [];
    const begin = (callback: InvokeCallback): ResponseFuture => core.calls.begin(init(clock), callback);
    const start = (future: ResponseFuture): void =>
      future.acquire(asyncPermits, false, () => core.calls.send(future, channel));
    start(
      begin(() => {
        seen.push(asyncPermits.free);
        throw new TypeError('in a callback');
      }),
    );
    start(begin(() => seen.push(asyncPermits.free)));
    start(begin((error) => seen.push(error?.code)));
    expect(seen).to.deep.equal(['TOO_MANY_REQUESTS']);
    channel.writeInbound(RemotingCommand.response(0, undefined, { opaque: 1 }));
    expect([seen, asyncPermits.free]).to.deep.equal([['TOO_MANY_REQUESTS', 0], 1]);
    clock.advance(499);
    expect(() => clock.advance(1)).to.throw('in a callback');
    expect([seen.at(-1), asyncPermits.free]).to.deep.equal([1, 2]);
  });

  it('that may wait for a permit get it in their order, or end at their timeout, which the wait is part of', () => {
    const { core, channel, clock } = setUp({ waitForPermit: true, asyncPermits: 1 });
    const ended: (string | number | undefined)[] = [];
    const start = (timeoutMillis: number): void => {
      const future = core.calls.begin({ ...init(clock), timeoutMillis }, (error, response) =>
        ended.push(error?.message ?? response?.code),
      );
      future.acquire(core.calls.asyncPermits, core.calls.waitsForPermit, (ready) => core.calls.send(ready, channel));
    };
    for (const timeoutMillis of [500, 100, 500]) start(timeoutMillis);
    expect([core.calls.responseTable.size, core.calls.asyncPermits.waiting]).to.deep.equal([1, 2]);
    clock.advance(100);
    expect(ended).to.deep.equal([
      'request 1 to a:1 timed out after 100 ms (dial 0, queue 100, not sent): ' +
        'invokeAsyncImpl tryAcquire semaphore timeout, 100ms, waiting thread nums: 2 semaphoreAsyncValue: 0',
    ]);
    channel.writeInbound(RemotingCommand.response(7, undefined, { opaque: 0 }));
    channel.writeInbound(RemotingCommand.response(8, undefined, { opaque: 1 }));
    expect(ended.slice(1)).to.deep.equal([7, 8]);
    expect([core.calls.asyncPermits.free, core.calls.asyncPermits.waiting, clock.pendingTimers]).to.deep.equal([
      1, 0, 0,
    ]);
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
    const oneway = core.calls.begin({ ...init(clock), isOneway: true }, (error) => errors.push(error?.message));
    core.calls.send(oneway, channel);
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
    const begin = (isOneway: boolean): ResponseFuture =>
      core.calls.begin({ ...init(clock), isOneway, signal: controller.signal }, (error) => errors.push(error?.code));
    core.calls.send(begin(false), channel);
    controller = new AbortController();
    core.calls.send(begin(true), channel);
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
    core.calls.begin({ ...init(clock), onSettled }, (error) => codes.push(error?.code));
    expect(() => clock.advance(500)).to.throw('a logger that throws');
    expect(codes).to.deep.equal(['TIMEOUT']);
  });

  it('end exactly once, whatever ends them and in whatever order, and leave nothing behind (W5)', () => {
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
            const future = core.calls.begin(
              {
                clock,
                timeoutMillis: 1 + n * 10,
                signal: state.controller.signal,
                request: RemotingCommand.request(1),
                isOneway: kind === 'oneway',
              },
              () => {
                state.ended++;
              },
            );
            core.calls.send(future, channel);
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
