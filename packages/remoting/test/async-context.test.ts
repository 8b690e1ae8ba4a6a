import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import { RemotingClient } from '../src/client/remoting-client.js';
import { encodeFrame } from '../src/codec/frame-codec.js';
import { RemotingCommand } from '../src/command/remoting-command.js';
import { FrameDecoder } from '../src/handler/frame-decoder.js';
import { RemotingServer } from '../src/server/remoting-server.js';
import { EmbeddedChannel } from '../src/testing.js';

describe('the async context', () => {
  const caller = new AsyncLocalStorage<number | string>();
  /** What each request's processor saw, by the number in its body. */
  let seen: (number | string | undefined)[];
  let server: RemotingServer;
  let client: RemotingClient;
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  const numbered = (number: number): RemotingCommand => RemotingCommand.request(1, { body: Buffer.from([number]) });

  beforeEach(async () => {
    seen = [];
    server = new RemotingServer({ maxFrameBytes: 1024 * 1024 });
    server.registerProcessor(1, {
      processRequest: (_ctx, asked) => {
        seen.push(caller.getStore());
        return RemotingCommand.response(0, undefined, { body: asked.body });
      },
    });
    // Somebody's context at the start is not that of all requests.
    await caller.run('start', () => server.start());
    client = new RemotingClient();
  });
  afterEach(() => Promise.all([client.destroy(), server.destroy()]));

  it('is its own for each of 100 calls that share a connection, with await (W80)', async () => {
    const stores = await Promise.all(
      numbers.map((number) =>
        caller.run(number, async () => {
          const response = await client.invokeSync(server.address, numbered(number));
          return [response.body?.[0], caller.getStore()];
        }),
      ),
    );
    expect(stores).to.deep.equal(numbers.map((number) => [number, number]));
  });

  it('is its own for each of 100 calls that share a connection, with callbacks, also those that fail (W80)', async () => {
    const tell = (number: number, code: number): Promise<unknown> =>
      new Promise((resolve) =>
        caller.run(number, () =>
          client.invokeAsync(code === 1 ? server.address : '127.0.0.1:0', numbered(number), 3_000, (error) =>
            resolve([error?.code, caller.getStore()]),
          ),
        ),
      );
    expect(await Promise.all(numbers.map((number) => tell(number, 1)))).to.deep.equal(
      numbers.map((number) => [undefined, number]),
    );
    expect(await tell(7, 2)).to.deep.equal(['CONNECT_FAILED', 7]);
  });

  it('of a processor is fresh, whoever started the server, dialled, or sent (W80)', async () => {
    await caller.run('dial', () => client.invokeSync(server.address, numbered(1)));
    await Promise.all(
      numbers.map((number) => caller.run(number, () => client.invokeSync(server.address, numbered(1)))),
    );
    expect(seen).to.deep.equal(new Array(101).fill(undefined));
  });

  it('of a processor of a client, and of its events, is fresh too', async () => {
    const stores: unknown[] = [];
    client.on('connect', () => stores.push(['connect', caller.getStore()]));
    client.registerProcessor(2, {
      processRequest: () => {
        stores.push(['request', caller.getStore()]);
        return RemotingCommand.response(0);
      },
    });
    await caller.run('dial', () => client.invokeSync(server.address, numbered(1)));
    const [channel] = server.channels;
    if (channel !== undefined) await caller.run('push', () => server.invokeSync(channel, RemotingCommand.request(2)));
    expect(stores).to.deep.equal([
      ['connect', undefined],
      ['request', undefined],
    ]);
  });

  it('of a request that was kept back is fresh, whoever let it go', async () => {
    const handled = new Promise((resolve) => {
      const channel = new EmbeddedChannel({
        frameDecoder: new FrameDecoder(),
        last: { channelRead: () => resolve(caller.getStore() ?? 'fresh') },
      });
      channel.autoRead = false;
      channel.writeInbound(...encodeFrame(numbered(1)));
      caller.run('reader', () => {
        channel.autoRead = true;
      });
    });
    expect(await handled).to.equal('fresh');
  });
});
