import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { CommandError } from '../../src/errors.js';
import type { ServerInterceptor } from '../../src/rpc/interceptor.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { answer, echo, ONEWAY, request, setUp } from './remoting-core-fixture.js';

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string() },
  response: { text: t.string() },
});

describe('interceptors of requests', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('run in the order they were given, around the hooks and the processor', async () => {
    const { core, channel } = setUp();
    const seen: string[] = [];
    const tracing =
      (name: string): ServerInterceptor =>
      async (_ctx, next) => {
        seen.push(`${name} in`);
        await next();
        seen.push(`${name} out`);
      };
    core.requests.use(tracing('a'));
    core.requests.use(tracing('b'));
    core.registerRpcHook({
      doBeforeRequest: () => void seen.push('hook before'),
      doAfterResponse: () => void seen.push('hook after'),
    });
    core.requests.processorTable.register(1, {
      processRequest: () => {
        seen.push('processor');
        return RemotingCommand.response(0);
      },
    });
    channel.writeInbound(request(1, 1));
    await core.requests.whenIdle();
    expect(seen).to.deep.equal(['a in', 'b in', 'hook before', 'processor', 'hook after', 'b out', 'a out']);
    expect(answer(channel)?.opaque).to.equal(1);
  });

  it('see the name of a typed command, and the number of one without a name', async () => {
    const server = new RemotingServer();
    const names: string[] = [];
    server.use(async ({ command }, next) => {
      names.push(command.name);
      await next();
    });
    server.handle(Greet, ({ header }) => ({ header: { text: `hello ${header.name}` } }));
    server.registerProcessor(7, echo).registerDefaultProcessor(echo);
    await server.start();
    const client = new RemotingClient();
    cleanUps.push(
      () => server.destroy(),
      () => client.destroy(),
    );
    expect((await client.call(server.address, Greet, { name: 'Ada' })).header.text).to.equal('hello Ada');
    for (const code of [7, 8]) await client.invokeSync(server.address, RemotingCommand.request(code));
    expect(names).to.deep.equal(['GREET', '7', '8']);
  });

  it('may answer without the processor, and change its answer', async () => {
    const { core, channel } = setUp();
    let asked = 0;
    core.requests.use(async (ctx, next) => {
      if (ctx.request.opaque === 1) {
        ctx.response = RemotingCommand.response(16, 'not for you');
        return;
      }
      await next();
      if (ctx.response !== undefined) ctx.response.remark = 'seen';
    });
    core.requests.processorTable.register(1, {
      processRequest: () => {
        asked++;
        return RemotingCommand.response(0);
      },
    });
    for (const opaque of [1, 2]) channel.writeInbound(request(1, opaque));
    await core.requests.whenIdle();
    expect(answer(channel)).to.deep.include({ opaque: 1, code: 16, remark: 'not for you' });
    expect(answer(channel)).to.deep.include({ opaque: 2, code: 0, remark: 'seen' });
    expect(asked).to.equal(1);
  });

  it('have what they throw answered as if the processor had thrown it', async () => {
    const { core, channel } = setUp();
    core.requests.use((ctx) => {
      throw ctx.request.opaque === 1 ? new CommandError(16, 'no permission') : new TypeError('boom');
    });
    core.requests.processorTable.register(1, echo);
    for (const opaque of [1, 2]) channel.writeInbound(request(1, opaque));
    channel.writeInbound(request(1, 3, ONEWAY));
    await core.requests.whenIdle();
    expect(answer(channel)).to.deep.include({ opaque: 1, code: 16, remark: 'no permission' });
    expect(answer(channel)).to.deep.include({ opaque: 2, code: 1, remark: 'TypeError: boom' });
    expect(answer(channel)).to.equal(undefined);
  });

  it('may catch what the processor throws', async () => {
    const { core, channel } = setUp();
    core.requests.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.response = RemotingCommand.response(50, (error as Error).message);
      }
    });
    core.requests.processorTable.register(1, { processRequest: () => expect.fail('caught outside') });
    channel.writeInbound(request(1, 1));
    await core.requests.whenIdle();
    expect(answer(channel)).to.deep.include({ code: 50, remark: 'caught outside' });
  });

  it('that call next() twice are told so, and the processor runs once', async () => {
    const { core, channel } = setUp();
    let asked = 0;
    core.requests.use(async (_ctx, next) => {
      await next();
      await next();
    });
    core.requests.processorTable.register(1, {
      processRequest: () => {
        asked++;
        return undefined;
      },
    });
    channel.writeInbound(request(1, 1));
    await core.requests.whenIdle();
    expect(answer(channel)).to.deep.include({ code: 1, remark: 'an interceptor called next() twice for one request' });
    expect(asked).to.equal(1);
  });

  it('give no answer when neither they nor the processor gave one', async () => {
    const { core, channel } = setUp();
    core.requests.use((_ctx, next) => next());
    core.requests.processorTable.register(1, { processRequest: () => undefined });
    core.requests.processorTable.register(2, { processRequest: () => null as never });
    for (const code of [1, 2]) channel.writeInbound(request(code, code));
    await core.requests.whenIdle();
    expect(answer(channel)).to.equal(undefined);
  });

  it('run at a client too, for what its server sends', async () => {
    const server = new RemotingServer();
    server.registerProcessor(1, echo);
    await server.start();
    const client = new RemotingClient();
    cleanUps.push(
      () => server.destroy(),
      () => client.destroy(),
    );
    const names: string[] = [];
    client.handle(Greet, ({ header }) => ({ header: { text: header.name } }));
    client.interceptRequests((ctx, next) => {
      names.push(ctx.command.name);
      return next();
    });
    await client.invokeSync(server.address, RemotingCommand.request(1));
    for (const channel of server.channels) {
      expect((await server.call(channel, Greet, { name: 'Bob' })).header.text).to.equal('Bob');
    }
    expect(names).to.deep.equal(['GREET']);
  });
});
