import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { type RequestTrace, requestTracing } from '../../src/diagnostics.js';
import { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { until } from '../client/raw-server.js';

const Greet = defineCommand({ code: 9, name: 'GREET', request: { name: t.string() }, response: { text: t.string() } });

describe('A call whose request is no command', () => {
  it('fails at once, and leaves nothing behind', async () => {
    const client = new RemotingClient();
    for (const request of [undefined, null, {}, 'text'] as unknown[] as RemotingCommand[]) {
      for (const call of [client.invokeSync('127.0.0.1:1', request), client.invokeOneway('127.0.0.1:1', request)]) {
        const failure = await call.catch((error) => error);
        expect(failure).to.include({ code: 'INVALID_ARGUMENT', sent: 'no' });
      }
    }
    expect(await client.close()).to.deep.equal({ finished: 0, cut: 0 });
  });
});

describe('Interceptors of a client', () => {
  const clock = new ManualClock();
  let server: RemotingServer;
  let client: RemotingClient;
  let served: RemotingCommand[];
  beforeEach(async () => {
    served = [];
    server = new RemotingServer();
    server.registerProcessor(9, {
      processRequest: (_, request) => {
        served.push(request);
        if (request.remark === 'never') return undefined;
        if (served.length === 1 && request.remark === 'busy') return RemotingCommand.response(2, 'busy');
        return RemotingCommand.response(0, undefined, { extFields: { text: `hello ${request.extFields?.['name']}` } });
      },
    });
    await server.start();
    client = new RemotingClient({ clock });
  });
  afterEach(async () => {
    await client.destroy();
    await server.destroy();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('run in the order in which they were given, around the RPC hooks, and see the command', async () => {
    const seen: string[] = [];
    for (const name of ['a', 'b']) {
      client.use(async (call, next) => {
        seen.push(
          `${name} ${call.command.name} ${call.command.code} ${call.address === server.address} ${call.isOneway}`,
        );
        const response = await next();
        seen.push(`${name} ${response?.code}`);
        return response;
      });
    }
    client.registerRpcHook({ doBeforeRequest: () => void seen.push('hook') });
    expect((await client.call(server.address, Greet, { name: 'Ada' })).header.text).to.equal('hello Ada');
    expect(seen).to.deep.equal(['a GREET 9 true false', 'b GREET 9 true false', 'hook', 'b 0', 'a 0']);
  });

  it('leave to the failure of a call that its peer may have seen it, in whichever of its sendings, and how it ends', async () => {
    const controller = new AbortController();
    client.use((_, next) => next());
    const sent = (): Promise<RemotingError> => {
      const call = client.invokeSync(
        server.address,
        Object.assign(RemotingCommand.request(9), { remark: 'never' }),
        60_000,
        {
          signal: controller.signal,
        },
      );
      return call.then(
        () => expect.fail('it was answered'),
        (error: RemotingError) => error,
      );
    };
    const aborted = sent();
    await until(() => served.length === 1);
    controller.abort();
    expect(await aborted).to.deep.include({ code: 'ABORTED', sent: 'maybe', phase: 'wait' });
    expect((await aborted).message).to.include('sent, no answer');

    const again = client.use((_, next) => next().catch(next));
    const closed = again.invokeSync(
      server.address,
      Object.assign(RemotingCommand.request(9), { remark: 'never' }),
      60_000,
    );
    await until(() => served.length === 2);
    await server.destroy();
    const error = await closed.catch((thrown: RemotingError) => thrown);
    expect(error).to.deep.include({ code: 'CONNECT_FAILED', sent: 'maybe' });
  });

  it('may change the request, answer without sending, and replace the answer; the caller’s request stays', async () => {
    client.use(async (call, next) => {
      if (call.request.extFields?.['name'] === 'cached')
        return RemotingCommand.response(0, undefined, { extFields: { text: 'from the cache' } });
      call.request.extFields = { name: 'Bob' };
      return await next();
    });
    expect((await client.call(server.address, Greet, { name: 'cached' })).header.text).to.equal('from the cache');
    expect(served).to.have.length(0);
    const request = RemotingCommand.request(9, { extFields: { name: 'Ada' } });
    expect((await client.invokeSync(server.address, request)).extFields?.['text']).to.equal('hello Bob');
    expect(request.extFields?.['name']).to.equal('Ada');
  });

  it('may send again, each time under another opaque', async () => {
    client.use(async (_, next) => {
      const first = await next();
      return first?.code === 2 ? await next() : first;
    });
    const request = RemotingCommand.request(9, { remark: 'busy', extFields: { name: 'x' } });
    expect((await client.invokeSync(server.address, request)).code).to.equal(0);
    expect(new Set(served.map(({ opaque }) => opaque)).size).to.equal(2);
    expect(client.describe()).to.deep.include({ pendingCalls: {} });
  });

  it('work for oneway calls and callbacks, and end them by what they throw', async () => {
    let fails = false;
    client.use(async (_, next) => {
      if (fails) throw new TypeError('refused here');
      return await next();
    });
    await client.invokeOneway(server.address, RemotingCommand.request(9));
    const called = () =>
      new Promise<string | number | undefined>((resolve) => {
        client.invokeAsync(server.address, RemotingCommand.request(9), 1_000, (error, response) =>
          resolve(error?.message ?? response?.code),
        );
      });
    expect(await called()).to.equal(0);
    fails = true;
    expect(await called()).to.equal('an interceptor of request 9 failed: refused here');
    const error = (await client
      .oneway(server.address, Greet, { name: 'x' })
      .catch((thrown: unknown) => thrown)) as RemotingError;
    expect([error.code, error.sent]).to.deep.equal(['HANDLER_FAILED', 'no']);
  });

  it('cannot keep a call beyond its time, be it that they or the server never end', async () => {
    let own = true;
    client.use((_, next) => (own ? new Promise(() => {}) : next()));
    const hangs = client.call(server.address, Greet, { name: 'x' }, { timeoutMillis: 100 }).catch((thrown) => thrown);
    clock.advance(100);
    expect((await hangs).code).to.equal('TIMEOUT');
    own = false;
    const silent = RemotingCommand.request(9, { remark: 'never' });
    const unanswered = client.invokeSync(server.address, silent, 100).catch((thrown) => thrown);
    await until(() => served.length === 1);
    await until(
      () => client.describe().channels[0]?.pendingCalls === 1 && client.describe().channels[0]?.pendingBytes === 0,
    );
    clock.advance(100);
    const error: RemotingError = await unanswered;
    expect([error.code, error.sent, error.phase]).to.deep.equal(['TIMEOUT', 'maybe', 'wait']);
    expect(client.channel(server.address)).to.equal(undefined);
  });

  it('let a call be traced and counted once, with its last sending', async () => {
    const traces: { outcome: string | undefined; opaque: number | undefined; address: string | undefined }[] = [];
    const onEnd = (message: unknown): void => {
      const { outcome, opaque, address } = message as RequestTrace;
      traces.push({ outcome, opaque, address });
    };
    requestTracing.asyncEnd.subscribe(onEnd);
    try {
      client.use(async (_, next) => {
        await next();
        return await next();
      });
      await client.invokeSync(server.address, RemotingCommand.request(9));
      const dead = await client
        .invokeSync('127.0.0.1:1', RemotingCommand.request(9))
        .catch((thrown: unknown) => thrown);
      expect(RemotingError.is(dead) && dead.code).to.equal('CONNECT_FAILED');
    } finally {
      requestTracing.asyncEnd.unsubscribe(onEnd);
    }
    expect(traces).to.deep.equal([
      { outcome: 'answered', opaque: 1, address: server.address },
      { outcome: 'CONNECT_FAILED', opaque: undefined, address: '127.0.0.1:1' },
    ]);
    expect([client.counters.failedCalls, client.counters.requestsOut]).to.deep.equal([1, 2]);
  });

  it('end a call by what they throw although it has no text', async () => {
    client.use(() => Promise.reject(Object.create(null)));
    const failure = await client.invokeSync(server.address, RemotingCommand.request(9)).catch((error) => error);
    expect(failure).to.include({ code: 'HANDLER_FAILED' });
    expect(failure.message).to.contain('something that has no text was thrown');
  });

  it('end a call by a frozen error, as hooks do', async () => {
    const frozen = [
      new RemotingError('ABORTED', 'frozen'),
      new RemotingError('ABORTED', 'frozen', { sent: 'no' }),
      new TypeError('frozen'),
    ].map((error) => Object.freeze(error));
    for (const thrown of frozen) {
      const intercepted = new RemotingClient({ clock }).use(() => Promise.reject(thrown));
      const fail = (): never => {
        throw thrown;
      };
      const before = new RemotingClient({ clock });
      before.registerRpcHook({ doBeforeRequest: fail });
      const after = new RemotingClient({ clock });
      after.registerRpcHook({ doAfterResponse: fail });
      for (const caller of [intercepted, before, after]) {
        const failure = await caller.invokeSync(server.address, RemotingCommand.request(9)).catch((error) => error);
        expect(failure.message).to.contain('frozen');
        await caller.destroy();
      }
    }
  });

  it('fail a call to which they give no answer', async () => {
    client.use(async () => undefined);
    const error = await client
      .invokeSync(server.address, RemotingCommand.request(9))
      .catch((thrown: unknown) => thrown);
    expect(RemotingError.is(error) && error.message).to.equal('an interceptor gave no answer to request 9');
  });
});
