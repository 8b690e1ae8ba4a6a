import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { createPair, expectNoLeaks } from '../../src/testing.js';

const request = RemotingCommand.request(1);
const Ping = defineCommand({ code: 1, name: 'PING' });
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('the call succeeded'),
    (error: RemotingError) => error,
  );
const odd = { toString: () => expect.fail('not to be called') };

/** Arguments that the compiler refuses, given as from JavaScript. */
const timeouts: [unknown, RegExp][] = [
  ['1000', /^timeoutMillis must be a number of milliseconds, not "1000"$/],
  [{ timeoutMillis: 5 }, /^timeoutMillis must be a number of milliseconds, not an object \(Object\)$/],
  [Symbol('x'), /^timeoutMillis must be a number of milliseconds, not Symbol\(x\)$/],
];
const signals: [unknown, RegExp][] = [
  [new AbortController(), /^signal must be an AbortSignal, .* not an object \(AbortController\)$/],
  [null, /^signal must be an AbortSignal, .* not null$/],
  [5, /^signal must be an AbortSignal, .* not 5$/],
];
const addresses: [unknown, RegExp][] = [
  [9876, /^an address must be a string such as "host:port", .* not 9876$/],
  [null, /^an address must be a string .* not null$/],
  [Object.create(null), /^an address must be a string .* not an object$/],
  [odd, /^an address must be a string .* not an object \(Object\)$/],
  [['a:1'], /^an address must be a string .* not an array$/],
];

describe('Arguments of a call whose types cannot be', () => {
  it('fail it in each form at once with INVALID_ARGUMENT and what was given, and leave nothing behind', async () => {
    await expectNoLeaks(async () => {
      await using pair = await createPair();
      const { client, server } = pair;
      await client.connect(pair.address);
      const [channel] = server.channels;
      const sides = [
        { remoting: client as never as typeof server, good: pair.address as never, bad: addresses },
        {
          remoting: server,
          good: channel as never,
          bad: [
            [pair.address, /^a server calls over the channel of a client, .* not ".*"$/],
            [undefined, /^a server calls over the channel of a client, .* not undefined$/],
          ] as [unknown, RegExp][],
        },
      ];
      for (const { remoting, good, bad } of sides) {
        const all = async (target: never, timeoutMillis: never, signal: never, expected: RegExp): Promise<void> => {
          const options = { timeoutMillis, signal };
          const failures = [
            failure(remoting.invokeSync(target, request, timeoutMillis, { signal })),
            failure(remoting.invokeOneway(target, request, timeoutMillis, { signal })),
            failure(remoting.call(target, Ping, {}, options)),
            failure(remoting.oneway(target, Ping, {}, options)),
            new Promise<RemotingError>((resolve) =>
              remoting.invokeAsync(target, request, timeoutMillis, (error) => resolve(error as RemotingError), {
                signal,
              }),
            ),
          ];
          for (const error of await Promise.all(failures)) {
            expect(error).to.deep.include({ code: 'INVALID_ARGUMENT', sent: 'no' });
            expect(error.message).to.match(expected);
          }
        };
        for (const [given, expected] of bad) await all(given as never, 1_000 as never, undefined as never, expected);
        for (const [given, expected] of timeouts) await all(good, given as never, undefined as never, expected);
        for (const [given, expected] of signals) await all(good, 1_000 as never, given as never, expected);
      }
    });
  });

  it('fail connect likewise, and a name server list', async () => {
    await using client = new RemotingClient();
    for (const [given, expected] of addresses) {
      const error = await failure(client.connect(given as never));
      expect([error.code, expected.test(error.message)]).to.deep.equal(['INVALID_ARGUMENT', true]);
    }
    for (const [given, expected] of timeouts)
      expect((await failure(client.connect('a:1', { timeoutMillis: given as never }))).message).to.match(expected);
    for (const [given, expected] of signals)
      expect((await failure(client.connect('a:1', { signal: given as never }))).message).to.match(expected);
    for (const given of ['a:1;b:1', undefined, [9876], [odd]])
      expect(() => client.updateNameServerAddressList(given as never)).to.throw('must be an array of addresses');
    expect(client.nameServerAddressList).to.deep.equal([]);
  });

  it('fail it where another sends for it, and options that cannot be are shown whatever they are', () => {
    for (const given of [Object.create(null), odd, Symbol('x'), () => {}, [1], null])
      for (const options of [
        { timeoutMillis: given },
        { eager: given },
        { language: given },
        { reconnectJitter: given },
      ])
        expect(() => new RemotingClient(options as never)).to.throw(/^options of RemotingClient: \w+ must be .*, not /);
  });
});
