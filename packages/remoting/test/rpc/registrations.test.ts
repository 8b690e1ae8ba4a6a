import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { json } from '../../src/command/json-body.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { text } from '../../src/command/text-body.js';
import { CommandError, RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { createPair } from '../../src/testing.js';

const Ping = defineCommand({ code: 1, name: 'PING' });
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('the call succeeded'),
    (error: RemotingError) => error,
  );

describe('What is registered from JavaScript and cannot be', () => {
  it('is refused at once with INVALID_ARGUMENT, by clients and servers', () => {
    const refused: [what: RegExp, register: (remoting: RemotingServer) => unknown][] = [
      [/^a processor must be an object with .*, not a function$/, (r) => r.registerProcessor(1, (() => {}) as never)],
      [/^a processor must be .*, not undefined$/, (r) => r.registerDefaultProcessor(undefined as never)],
      [/^a request code .*, not "1"$/, (r) => r.registerProcessor('1' as never, { processRequest: () => undefined })],
      [/^a handler must be a function, not an object/, (r) => r.handle(Ping, {} as never)],
      [/^a command must be what defineCommand gave, not undefined$/, (r) => r.handle(undefined as never, () => {})],
      [/^an interceptor must be a function, not an object/, (r) => r.use({} as never)],
      [/^an interceptor must be a function, not null$/, (r) => r.interceptRequests(null as never)],
      [/^an RPC hook must be an object .*, not undefined$/, (r) => r.registerRpcHook(undefined as never)],
      [
        /^the callback of invokeAsync must be a function, not undefined$/,
        (r) => r.invokeAsync({} as never, RemotingCommand.request(1), 100, undefined as never),
      ],
    ];
    for (const remoting of [new RemotingServer(), new RemotingClient() as never])
      for (const [message, register] of refused)
        expect(() => register(remoting))
          .to.throw(RemotingError, message)
          .with.property('code', 'INVALID_ARGUMENT');
    for (const Remoting of [RemotingServer, RemotingClient])
      for (const options of ['a:1', null, 5])
        expect(() => new Remoting(options as never)).to.throw(
          RemotingError,
          /^options of \w+ must be an object, not (".*"|null|5)$/,
        );
  });

  it('is named once for all names of options that are unknown', () => {
    const message = /^options of RemotingClient: a is unknown; b is unknown; there are \w+(, \w+)*$/;
    expect(() => new RemotingClient({ a: 1, b: 2 } as never)).to.throw(RemotingError, message);
  });

  it('is refused in the definition of a command', () => {
    const wrong: [RegExp, object][] = [
      [/^the command X must have a 32-bit integer as code, not undefined$/, {}],
      [/^the command X must have a 32-bit integer as code, not 1.5$/, { code: 1.5 }],
      [
        /^the command X has a request field a that is no field, .* but "string"$/,
        { code: 1, request: { a: 'string' } },
      ],
      [
        /^the command X has a response field a that is no field, .* a function$/,
        { code: 1, response: { a: t.string } },
      ],
      [/^the command X has a requestBody that is no BodyCodec, .* a function$/, { code: 1, requestBody: json }],
    ];
    for (const [message, init] of wrong)
      expect(() => defineCommand({ name: 'X', ...init } as never)).to.throw(RemotingError, message);
  });
});

describe('What a typed call or answer lacks', () => {
  const Order = defineCommand({
    code: 1,
    name: 'ORDER',
    request: { customer: t.string() },
    response: { id: t.string() },
    requestBody: json<string[]>(),
    responseBody: text(),
  });

  it('fails where it is missing, and is named there: in the call', async () => {
    await using pair = createPair();
    const call = (...input: unknown[]): Promise<RemotingError> =>
      failure(pair.client.call(pair.address, ...(input as [never, never, never])));
    const said = [
      await call(Order),
      await call(Order, {}, { body: [] }),
      await call(Order, { customer: 'Ada' }),
      await call(undefined, {}),
    ].map(({ code, message, sent }) => `${code} ${sent}: ${message}`);
    expect(said).to.deep.equal([
      'INVALID_ARGUMENT no: the header of ORDER must be an object, {} where it has no fields, not undefined',
      'ENCODE_FAILED no: the header field customer is required but missing',
      'ENCODE_FAILED no: the body cannot be written as JSON: it is undefined',
      'INVALID_ARGUMENT no: a command must be what defineCommand gave, not undefined',
    ]);
  });

  it('and in the answer of the handler, unless that is no success', async () => {
    await using pair = createPair();
    const answers: unknown[] = [
      undefined,
      { id: '1', body: 'x' },
      { header: { id: '1' } },
      { code: 17, remark: 'nothing here' },
    ];
    pair.server.handle(Order, () => answers.shift() as never);
    const said: string[] = [];
    while (answers.length > 0) {
      const options = { body: [] };
      said.push((await failure(pair.client.call(pair.address, Order, { customer: 'Ada' }, options))).message);
    }
    expect(said).to.deep.equal([
      'CODE: 1  DESC: the header field id is required but missing from memory:1',
      'CODE: 1  DESC: the header field id is required but missing from memory:1',
      'CODE: 1  DESC: the body must be a text, not undefined from memory:1',
      'CODE: 17  DESC: nothing here from memory:1',
    ]);
  });

  it('is not made good by a CommandError that says SUCCESS', () => {
    expect(() => new CommandError(0, 'fine')).to.throw(RemotingError, 'a CommandError needs a code other than SUCCESS');
  });
});
