import { expect } from 'chai';
import type { RemotingClientOptions } from '../../src/client/client-options.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import type { Logger } from '../../src/logger.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';

describe('the log of a client', () => {
  let server: RemotingServer;
  let client: RemotingClient;
  let clock: ManualClock;
  let lines: string[];
  /** Resolves when so many requests have come to the server. */
  let arrived: (count: number) => Promise<void>;

  async function setUp(options: RemotingClientOptions = {}): Promise<void> {
    lines = [];
    clock = new ManualClock();
    const note = (level: string) => (_fields: object, message: string) => lines.push(`${level} ${message}`);
    const logger: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    server = new RemotingServer();
    let count = 0;
    let look: () => void = () => {};
    arrived = (wanted) =>
      new Promise((resolve) => {
        look = () => {
          if (count >= wanted) resolve();
        };
        look();
      });
    server.registerProcessor(1, {
      processRequest: () => {
        count++;
        look();
        return new Promise(() => {});
      },
    });
    await server.start();
    client = new RemotingClient({ clock, logger, allIdleMillis: 0, ...options });
  }
  afterEach(() => Promise.all([client.destroy(), server.destroy()]));

  const failed = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'none',
      (error: { code: string }) => error.code,
    );

  it('says in the words of Apache that a connection was closed for a timeout, and that it is closed', async () => {
    await setUp();
    const calls = [1, 2, 3].map(() => failed(client.invokeSync(server.address, RemotingCommand.request(1))));
    await arrived(3);
    clock.advance(3_000);
    expect(await Promise.all(calls)).to.include('TIMEOUT');
    const { address } = server;
    expect(lines.filter((line) => !line.startsWith('debug'))).to.deep.equal([
      `warn invokeSync: close socket because of timeout, 3000ms, ${address}`,
      `info closeChannel: close the connection to remote address[${address}] result: true`,
    ]);
  });

  it('warns once of timeouts on a connection that is kept, and goes on at debug (W93)', async () => {
    await setUp({ closeSocketIfTimeout: false });
    const calls = [1, 2, 3].map(() => failed(client.invokeSync(server.address, RemotingCommand.request(1))));
    await arrived(3);
    clock.advance(3_000);
    expect(await Promise.all(calls)).to.deep.equal(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
    const line = `invokeSync: wait response timeout exception, the channel[${server.address}]`;
    expect(lines).to.deep.equal([`warn ${line}`, `debug ${line}`, `debug ${line}`]);
  });

  it('warns once of requests that could not be handed over', async () => {
    await setUp();
    const first = failed(client.invokeSync(server.address, RemotingCommand.request(1)));
    await arrived(1);
    const channel = client.channel(server.address);
    if (channel === undefined) throw new Error('no connection');
    // As a socket that fails while writing.
    channel.pipeline.addFirst('broken', {
      write: (_ctx, _message, listener) => listener?.(new RemotingError('SEND_FAILED', 'EPIPE')),
    });
    const { address } = server;
    const next = [1, 2].map(() => failed(client.invokeOneway(address, RemotingCommand.request(1))));
    expect(await Promise.all(next)).to.deep.equal(['SEND_FAILED', 'SEND_FAILED']);
    const line = `invokeSync: send request exception, so close the channel[${address}]; send a request command to channel <${address}> failed.`;
    expect(lines.filter((text) => text.includes('send request'))).to.deep.equal([`warn ${line}`, `debug ${line}`]);
    channel.destroy();
    expect(await first).to.equal('CONNECTION_CLOSED');
  });
});
