import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { type RemotingError, SendError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { until } from './raw-server.js';

describe('A client whose server says GO_AWAY', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A server that answers by how many requests came over a connection. */
  async function serve(answer: (nth: number, channel: Channel) => RemotingCommand | Promise<RemotingCommand>) {
    const counts = new Map<Channel, number>();
    const seen: RemotingCommand[] = [];
    const server = new RemotingServer();
    server.registerDefaultProcessor({
      processRequest: ({ channel }, request) => {
        seen.push(request);
        const nth = (counts.get(channel) ?? 0) + 1;
        counts.set(channel, nth);
        return answer(nth, channel);
      },
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return { server, counts, seen };
  }

  /** A server that stops to listen at the first request, and says so. */
  async function leave(): Promise<RemotingServer> {
    const { server } = await serve(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      // This request is under way, so that its connection is closed only when it was answered.
      void server.close({ graceMillis: 5_000 });
      await new Promise((resolve) => setImmediate(resolve));
      return goAway();
    });
    return server;
  }

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0] = {}): RemotingClient {
    const client = new RemotingClient(options);
    cleanUps.push(() => client.destroy());
    return client;
  }

  const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
    promise.then(
      () => expect.fail('the call succeeded'),
      (error: RemotingError) => error,
    );
  const goAway = () => RemotingCommand.response(1500, 'please go away');

  it('loses no call in a thousand times, and is left with one socket (W35)', async function () {
    this.timeout(30_000);
    const { server, counts } = await serve((nth) => (nth === 2 ? goAway() : RemotingCommand.response(0)));
    const client = makeClient();
    for (let i = 0; i < 1_001; i++)
      expect((await client.invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
    expect(counts.size).to.equal(1_001);
    await until(() => server.channels.size === 1);
    expect(client.describe().channels.map(({ state }) => state)).to.deep.equal(['active']);
  });

  it('closes the old connection only when the calls over it have ended (W35)', async () => {
    let finish = (): void => {};
    const slow = new Promise<RemotingCommand>((resolve) => {
      finish = () => resolve(RemotingCommand.response(7));
    });
    const { server } = await serve((nth, channel) => {
      if (channel.id !== first) return RemotingCommand.response(0);
      return nth === 2 ? slow : nth === 3 ? goAway() : RemotingCommand.response(0);
    });
    let first = 0;
    server.once('connect', (channel) => {
      first = channel.id;
    });
    const client = makeClient();
    const ask = () => client.invokeSync(server.address, RemotingCommand.request(1));
    await ask();
    const waits = ask();
    expect((await ask()).code).to.equal(0);
    expect(client.describe().channels.map(({ state, pendingCalls }) => [state, pendingCalls])).to.deep.equal([
      ['active', 0],
      ['draining', 1],
    ]);
    finish();
    expect((await waits).code).to.equal(7);
    await until(() => server.channels.size === 1 && client.describe().channels.length === 1);
  });

  it('sends the same request under another opaque, within the same time', async () => {
    const { server, seen } = await serve((nth, channel) =>
      nth === 1 && channel.id === first ? goAway() : RemotingCommand.response(0),
    );
    let first = 0;
    server.once('connect', (channel) => {
      first = channel.id;
    });
    const client = makeClient({ sendDeadline: true });
    const request = RemotingCommand.request(9, { body: Buffer.from('x'), remark: 'r' });
    expect((await client.invokeSync(server.address, request, 2_000)).code).to.equal(0);
    const [one, two] = seen as [RemotingCommand, RemotingCommand];
    expect(two).to.deep.include({ code: 9, remark: 'r' });
    expect(two.body).to.deep.equal(one.body);
    expect(two.opaque).to.not.equal(one.opaque);
    const left = [one, two].map(({ extFields }) => Number(extFields?.['__deadlineMillis']));
    expect(left[0]).to.be.within(1, 2_000);
    expect(left[1]).to.be.at.most(left[0] as number);
  });

  it('fails after the second, as SendError with upstream’s text', async () => {
    const { server, counts } = await serve(goAway);
    const error = await failure(makeClient().invokeSync(server.address, RemotingCommand.request(1)));
    expect(error).to.be.instanceOf(SendError).and.deep.include({ code: 'SEND_FAILED', sent: 'no' });
    expect(error.message).to.match(
      /^send request to <.*> failed: Receive GO_AWAY twice in request from channelId=\d+$/,
    );
    expect(counts.size).to.equal(2);
  });

  it('fails at once where it may not reconnect, and where no new connection can be made', async () => {
    const { server } = await serve(goAway);
    const fixed = makeClient({ enableReconnectForGoAway: false });
    const refused = await failure(fixed.invokeSync(server.address, RemotingCommand.request(1)));
    expect(refused.message).to.match(/Receive GO_AWAY from channelId=\d+$/);
    const leaving = await leave();
    const alone = await failure(makeClient().invokeSync(leaving.address, RemotingCommand.request(1)));
    expect(alone).to.deep.include({ code: 'SEND_FAILED', sent: 'no' });
    expect(alone.message).to.match(/Receive GO_AWAY from channelId=\d+, and no new connection$/);
    expect((alone.cause as Error).message).to.match(/ECONNREFUSED/);
  });

  it('goes on to the next name server when it cannot come back to this one', async () => {
    const other = await serve(() => RemotingCommand.response(5));
    const leaving = await leave();
    const client = makeClient();
    client.updateNameServerAddressList([leaving.address]);
    await client.connect(undefined);
    client.updateNameServerAddressList([leaving.address, other.server.address]);
    expect((await client.invokeSync(undefined, RemotingCommand.request(1))).code).to.equal(5);
  });
});
