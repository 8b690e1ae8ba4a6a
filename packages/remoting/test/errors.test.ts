import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { RemotingClient } from '../src/client/remoting-client.js';
import { defineCommand } from '../src/command/define-command.js';
import { t } from '../src/command/header-field.js';
import { RemotingCommand } from '../src/command/remoting-command.js';
import {
  ClosedError,
  CommandError,
  ConnectError,
  DecodeError,
  FrameTooLargeError,
  RemotingError,
  SendError,
  TimeoutError,
  TooManyRequestsError,
} from '../src/errors.js';
import { createPair, ManualClock } from '../src/testing.js';

const made = {
  RemotingError: new RemotingError('ABORTED', 'x'),
  ConnectError: new ConnectError('x'),
  SendError: new SendError('x'),
  TimeoutError: new TimeoutError('x'),
  TooManyRequestsError: new TooManyRequestsError('x'),
  ClosedError: new ClosedError('CLOSED', 'x'),
  CommandError: new CommandError(17, 'no route'),
  DecodeError: new DecodeError('x'),
  FrameTooLargeError: new FrameTooLargeError(2, 1),
};

describe('RemotingError', () => {
  it('is known by instanceof and RemotingError.is across two installed copies, class by class (W75)', async () => {
    const copy = (await import(`${new URL('../src/errors.js', import.meta.url).href}?copy`)) as Record<
      string,
      typeof RemotingError
    >;
    expect(copy['RemotingError']).to.not.equal(RemotingError);
    for (const [name, error] of Object.entries(made)) {
      for (const other of Object.keys(made)) {
        const expected = other === name || other === 'RemotingError';
        expect(error instanceof (copy[other] as typeof RemotingError), `${name} instanceof ${other}`).to.equal(
          expected,
        );
      }
      expect([copy['RemotingError']?.is(error), error.name, error instanceof Error]).to.deep.equal([true, name, true]);
    }
    expect([RemotingError.is(new Error('x')), RemotingError.is(undefined), RemotingError.is('x')]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it('is made of anything caught, which becomes its cause, but of one of its own', () => {
    for (const error of Object.values(made)) expect(RemotingError.from(error, 'TIMEOUT', 'y')).to.equal(error);
    const thrown = new TypeError('no such thing');
    for (const [error, code, message, cause] of [
      [RemotingError.from(thrown), 'HANDLER_FAILED', 'no such thing', thrown],
      [RemotingError.from('gone'), 'HANDLER_FAILED', 'gone', 'gone'],
      [RemotingError.from(thrown, 'SEND_FAILED', 'x failed'), 'SEND_FAILED', 'x failed: no such thing', thrown],
    ] as const) {
      expect(error).to.be.instanceOf(RemotingError).and.deep.include({ code, message });
      expect(error.cause).to.equal(cause);
    }
    const options = { address: 'a:1', sent: 'no' } as const;
    expect(RemotingError.from(thrown, 'SEND_FAILED', 'x', options)).to.deep.include(options);
  });

  it('and what is thrown are shown in one way that cannot throw itself, in all sources', () => {
    const sources = fileURLToPath(new URL('../../src/', import.meta.url));
    const unsafe: string[] = [];
    for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name === 'errors.ts' || name === 'text-of-given.ts') continue;
      const text = readFileSync(join(sources, name), 'utf8');
      // `textOfThrown` is for what was caught, `textOfGiven` for what was given in place of something else.
      for (const [found] of text.matchAll(/\bString\((?:error|err|e|thrown|cause|reason|problem|given|given\w+)\)/g))
        unsafe.push(`${name}: ${found}`);
      for (const [found] of text.matchAll(/\bnot \$\{String\(.*?\)/g)) unsafe.push(`${name}: ${found}`);
    }
    expect(unsafe).to.deep.equal([]);
  });

  it('keeps the usual instanceof for classes that others derive', () => {
    class OwnError extends TimeoutError {}
    expect(new OwnError('x')).to.be.instanceOf(OwnError).and.instanceOf(TimeoutError);
    expect(new TimeoutError('x')).to.not.be.instanceOf(OwnError);
  });

  it('shows no header value and no body, as JSON and to util.inspect (W76)', () => {
    const response = RemotingCommand.response(17, 'no route', {
      extFields: { token: 'secret-1' },
      body: Buffer.from('secret-2'),
    });
    const error = new CommandError(17, 'no route', { address: 'a:1', response });
    expect(error.response).to.equal(response);
    for (const text of [JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })]) {
      expect(text).to.contain('17').and.not.contain('secret').and.not.contain(Buffer.from('secret-2').join(', '));
    }
  });

  it('names the response code where it is one of the framework, or its maker knows it', () => {
    const names = [new CommandError(2), new CommandError(1500), new CommandError(17)].map(
      (error) => error.responseName,
    );
    expect(names).to.deep.equal(['SYSTEM_BUSY', 'GO_AWAY', undefined]);
    expect(new CommandError(17, 'x', { responseName: 'TOPIC_NOT_EXIST' }).responseName).to.equal('TOPIC_NOT_EXIST');
  });
});

describe('A failed call', () => {
  const Greet = defineCommand({ code: 1, name: 'GREET', request: { name: t.string() } });

  /** What `call` rejects with, awaited by a function of this file. */
  async function failureOf(call: () => Promise<unknown>): Promise<RemotingError> {
    async function theCallerOfThisTest(): Promise<void> {
      await call();
    }
    try {
      await theCallerOfThisTest();
    } catch (error) {
      return error as RemotingError;
    }
    return expect.fail('the call succeeded');
  }

  it('has the file and function of its caller in its stack, however it failed and in whichever style (W73)', async () => {
    const clock = new ManualClock();
    const request = RemotingCommand.request(1);
    const silent = 2;
    await using pair = createPair({ clock, client: { maxFrameBytes: 1_000 } });
    const { address, client, server } = pair;
    let asked = (): void => {};
    server.registerProcessor(silent, {
      processRequest: () => {
        asked();
        return undefined;
      },
    });
    client.registerProcessor(silent, { processRequest: () => undefined });
    await client.connect(address);
    const [channel] = server.channels;
    if (channel === undefined) throw new Error('no connection');
    await using limited = createPair({ clock, client: { asyncPermits: 1, limitSyncCalls: true } });
    limited.server.registerProcessor(silent, { processRequest: () => undefined });
    void limited.client.invokeSync(limited.address, RemotingCommand.request(silent));
    const closed = new RemotingClient();
    await closed.close();
    await using dead = new RemotingClient({ clock });
    await using intercepted = new RemotingClient({ clock });
    for (let i = 0; i < 2; i++) intercepted.use(async (_call, next) => await next());
    const controller = new AbortController();
    /** Does something once the server has the request. */
    const later = (task: () => void): void => {
      asked = () => void setImmediate(task);
    };
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      'CONNECT_FAILED of a call': () => dead.invokeSync('127.0.0.1:1', request),
      'CONNECT_FAILED of a oneway request': () => dead.invokeOneway('127.0.0.1:1', request),
      'CONNECT_FAILED of a typed oneway request': () => dead.oneway('127.0.0.1:1', Greet, { name: 'x' }),
      'CONNECT_FAILED of a call through interceptors': () => intercepted.call('127.0.0.1:1', Greet, { name: 'x' }),
      'CONNECT_FAILED of a dial': () => dead.connect('127.0.0.1:1'),
      'COMMAND_FAILED of a typed call': () => client.call(address, Greet, { name: 'x' }),
      'ENCODE_FAILED of a typed call': () => client.call(address, Greet, { name: 1 } as never),
      'SEND_FAILED of a call': () =>
        client.invokeSync(address, RemotingCommand.request(1, { body: Buffer.alloc(2_000) })),
      'INVALID_ARGUMENT of a call': () => client.invokeSync(address, request, 0),
      'TOO_MANY_REQUESTS of a call': () => limited.client.invokeSync(limited.address, request),
      'CLOSED of a call': () => closed.invokeSync(address, request),
      'CLOSED of a dial': () => closed.connect(address),
      'TIMEOUT of a call by a server': () => {
        setImmediate(() => clock.advance(500));
        return server.invokeSync(channel, RemotingCommand.request(silent), 500);
      },
      // This one closes its connection.
      'TIMEOUT of a call': () => {
        later(() => clock.advance(500));
        return client.invokeSync(address, RemotingCommand.request(silent), 500);
      },
      'ABORTED of a call': () => {
        later(() => controller.abort());
        return client.invokeSync(address, RemotingCommand.request(silent), 500, { signal: controller.signal });
      },
      'CONNECTION_CLOSED of a call': () => {
        later(() => {
          for (const each of server.channels) each.destroy();
        });
        return client.invokeSync(address, RemotingCommand.request(silent));
      },
    };
    for (const [what, call] of Object.entries(calls)) {
      const { code, stack } = await failureOf(call);
      expect(what).to.match(new RegExp(`^${code} of `));
      expect(stack, what)
        .to.contain('theCallerOfThisTest')
        .and.match(/errors\.test\.[jt]s/);
    }
  });
});
