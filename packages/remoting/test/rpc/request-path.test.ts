import { expect } from 'chai';
import type { WriteListener } from '../../src/channel/channel-handler.js';
import type { ChannelHandlerContext } from '../../src/channel/channel-handler-context.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { CommandError, DecodeError, RemotingError } from '../../src/errors.js';
import { CommandDispatcher } from '../../src/rpc/command-dispatcher.js';
import type { RequestProcessor } from '../../src/rpc/request-processor.js';
import { EmbeddedChannel } from '../../src/testing.js';
import { answer, echo, ONEWAY, request, setUp } from './remoting-core-fixture.js';

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

  it('answers SYSTEM_ERROR when what is thrown has no text, now or later, and gives the place in the queue back', async () => {
    const { core, channel } = setUp();
    const silent = Object.defineProperty(new Error(), 'message', { get: () => expect.fail('no text') });
    for (const thrown of [Object.create(null), silent, { toString: () => expect.fail('no text') }]) {
      const queue = core.requests.workQueue({ concurrency: 1 });
      const fail = (): never => {
        throw thrown;
      };
      core.requests.processorTable.register(1, { processRequest: fail }, queue);
      core.requests.processorTable.register(2, { processRequest: async () => fail() }, queue);
      for (const code of [1, 2]) {
        channel.writeInbound(request(code, code));
        await core.requests.whenIdle();
        expect(answer(channel)?.remark).to.contain('something that has no text was thrown');
        expect(queue?.running).to.equal(0);
      }
    }
    expect(channel.isActive).to.equal(true);
  });

  it('answers SYSTEM_ERROR when what a processor answers cannot be sent back, and gives the place in the queue back', async () => {
    const { core, channel } = setUp();
    const answers: unknown[] = [
      'secret',
      { code: 0, remark: 'secret' },
      { __proto__: null },
      7,
      Symbol('x'),
      Object.freeze(RemotingCommand.response(0)),
      Object.defineProperty({}, 'then', { get: () => expect.fail('no promise') }),
    ];
    for (const given of answers) {
      const queue = core.requests.workQueue({ concurrency: 1 });
      const processRequest = (): RemotingCommand => given as RemotingCommand;
      core.requests.processorTable.register(1, { processRequest }, queue);
      core.requests.processorTable.register(2, { processRequest: async () => processRequest() }, queue);
      for (const code of [1, 2]) {
        channel.writeInbound(request(code, code));
        await core.requests.whenIdle();
        const response = answer(channel);
        expect(response?.code).to.equal(1);
        expect(response?.remark).not.to.contain('secret');
        if (!(given instanceof RemotingCommand))
          expect(response?.remark).to.match(/must return a RemotingCommand, such as .*; not a|no promise/);
        expect(queue?.running).to.equal(0);
      }
    }
    expect(channel.isActive).to.equal(true);
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

  it('drops the answer of a connection that has closed, and tells the processor by its signal (W18)', async () => {
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
