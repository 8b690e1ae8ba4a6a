import { connect } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import type { ConnectFailure } from '../../src/client/channel-table.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { ConnectError, type RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

const request = RemotingCommand.request(1);
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('the call succeeded'),
    (error: RemotingError) => error,
  );

describe('A client whose server is gone', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0] = {}): {
    client: RemotingClient;
    clock: ManualClock;
    failures: ConnectFailure[];
  } {
    const clock = new ManualClock();
    const client = new RemotingClient({ clock, reconnectJitter: 0, ...options });
    const failures: ConnectFailure[] = [];
    client.on('connectFailed', (failed) => failures.push(failed));
    cleanUps.push(() => client.destroy());
    return { client, clock, failures };
  }

  async function deadAddress(): Promise<{ address: string; port: number }> {
    const { address, port, close } = await rawServer(() => {});
    await close();
    return { address, port };
  }

  async function serve(port: number): Promise<RemotingServer> {
    const server = new RemotingServer({ port });
    server.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0) });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  it('fails calls at once between dials, saying the last cause, the attempts and the next try (W7, W42)', async () => {
    const { client, failures } = makeClient();
    const { address } = await deadAddress();
    for (let i = 0; i < 5; i++) {
      const error = await failure(client.invokeSync(address, request, 10_000));
      expect(error).to.be.instanceOf(ConnectError).and.deep.include({ code: 'CONNECT_FAILED', address, sent: 'no' });
    }
    const { message } = await failure(client.invokeSync(address, request, 10_000));
    expect(message).to.match(
      /^connect to [\d.:]+ failed: connect ECONNREFUSED [\d.:]+; 2 dials failed in a row, the next is made in 1000 ms/,
    );
    expect(failures.map(({ attempts, nextDialMillis }) => [attempts, nextDialMillis])).to.deep.equal([
      [1, 0],
      [2, 1_000],
    ]);
    const [described] = client.describe().connectFailures;
    expect(described).to.deep.include({ address, attempts: 2, nextDialMillis: 1_000, code: 'CONNECT_FAILED' });
  });

  it('dials it at most ten times a minute, however many call, and reaches it with the first call one wait after it is back (W25)', async () => {
    const { client, clock, failures } = makeClient({ reconnectJitter: 0.2 });
    const { address, port } = await deadAddress();
    for (let second = 0; second < 600; second++) {
      await Promise.all(Array.from({ length: 3 }, () => failure(client.invokeSync(address, request, 10_000))));
      clock.advance(1_000);
    }
    expect(failures.length).to.be.within(40, 100);
    const server = await serve(port);
    clock.advance(12_000);
    expect((await client.invokeSync(server.address, request)).code).to.equal(0);
    expect(client.describe().connectFailures).to.deep.equal([]);
  });

  it('keeps calls with waitForReady until it is back, or until their deadline (W7)', async () => {
    const { client, clock } = makeClient();
    const { address, port } = await deadAddress();
    const options = { waitForReady: true };
    const impatient = failure(client.invokeSync(address, request, 500, options));
    const patient = client.invokeSync(address, request, 60_000, options);
    await until(() => client.describe().connectFailures[0]?.attempts === 2);
    clock.advance(500);
    expect((await impatient).message).to.match(
      /^request 1 to .* timed out after 500 ms \(dial 500, queue 0, not sent\)/,
    );
    await serve(port);
    clock.advance(500);
    expect((await patient).code).to.equal(0);
    expect(clock.pendingTimers).to.be.below(8);
  });

  it('keeps calls with waitForReady and no address until one of the list is back, and ends them when it closes', async () => {
    const { client, clock } = makeClient();
    const [a, b] = [await deadAddress(), await deadAddress()];
    client.updateNameServerAddressList([a.address, b.address]);
    const patient = client.invokeSync(undefined, request, 60_000, { waitForReady: true });
    await until(() => client.describe().connectFailures.filter(({ attempts }) => attempts === 2).length === 2);
    await serve(b.port);
    clock.advance(1_000);
    expect((await patient).code).to.equal(0);
    const other = failure(client.invokeSync(a.address, request, 60_000, { waitForReady: true }));
    const closed = client.close({ graceMillis: 100 });
    clock.advance(100);
    expect((await other).code).to.equal('CLOSED');
    expect(await closed).to.deep.equal({ finished: 0, cut: 1 });
    expect(clock.pendingTimers).to.equal(0);
  });

  it('with eager makes lost connections anew in the background, without a storm, and stops at close (W31)', async () => {
    const { client, clock, failures } = makeClient({ eager: true });
    const raw = await rawServer((socket) => socket.resume());
    await client.connect(raw.address);
    await raw.close();
    await until(() => client.channel(raw.address) === undefined);
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(failures.length).to.be.within(4, 10);
    const back = await rawServer((socket) => socket.resume(), raw.port);
    cleanUps.push(() => back.close());
    clock.advance(10_000);
    await until(() => client.channel(raw.address) !== undefined);
    await client.destroy();
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect([back.connections, clock.pendingTimers]).to.deep.equal([1, 0]);
  });

  it('with eager slows down for a server that takes connections and drops them', async () => {
    const { client, clock } = makeClient({ eager: true });
    const raw = await rawServer((socket) => socket.end());
    cleanUps.push(() => raw.close());
    await client.connect(raw.address);
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(raw.connections).to.be.within(4, 10);
  });

  it('dials a frozen one, whose system takes connections, no more often than a dead one, and reaches it one wait after it goes on', async () => {
    const { client, clock } = makeClient({ reconnectJitter: 0.2 });
    const server = await serve(0);
    let isFrozen = true;
    const frozen = await rawServer((socket) => {
      if (isFrozen) return;
      const { host, port } = parseSocketAddress(server.address);
      socket.pipe(connect({ host, port })).pipe(socket);
    });
    cleanUps.push(() => frozen.close());
    const errors: RemotingError[] = [];
    for (let second = 0; second < 300; second++) {
      const failed = failure(client.invokeSync(frozen.address, request, 1_000));
      await until(() => client.describe().dialling.length === 0);
      clock.advance(1_000);
      errors.push(await failed);
    }
    expect(frozen.connections).to.be.within(25, 50);
    const atOnce = errors.filter(({ code }) => code === 'CONNECT_FAILED');
    expect(atOnce).to.have.lengthOf(300 - frozen.connections);
    for (const { sent, message } of atOnce) {
      expect(sent).to.equal('no');
      expect(message).to.match(/^nothing ever came over the connection to .*, which ended: request 1 to .* timed out/);
    }
    isFrozen = false;
    clock.advance(12_000);
    expect((await client.invokeSync(frozen.address, request)).code).to.equal(0);
    expect(client.describe().connectFailures).to.deep.equal([]);
  });

  it('lets each caller wait as long as it will for one dial (W15)', async () => {
    const { client, clock } = makeClient();
    const raw = await rawServer((socket) => socket.resume());
    cleanUps.push(() => raw.close());
    const hasty = failure(client.invokeSync(raw.address, request, 100));
    const patient = client.connect(raw.address, { timeoutMillis: 2_000 });
    clock.advance(100);
    expect((await hasty).code).to.equal('TIMEOUT');
    expect((await patient).isActive).to.equal(true);
    expect(raw.connections).to.equal(1);
  });

  it('ends a thousand calls at their deadline while a dial hangs, and leaves no socket and no timer (W6)', async () => {
    const { client, clock } = makeClient({ lookup: () => {} });
    const calls = Array.from({ length: 1_000 }, () => failure(client.invokeSync('hangs.invalid:1', request, 100)));
    clock.advance(100);
    const codes = new Set((await Promise.all(calls)).map(({ code }) => code));
    expect([...codes]).to.deep.equal(['TIMEOUT']);
    expect(client.describe()).to.deep.include({ pendingCalls: {}, dialling: ['hangs.invalid:1'] });
    await client.destroy();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('tells whether an address is reachable (A29), and connects without a call', async () => {
    const { client } = makeClient();
    const server = await serve(0);
    const { address } = await deadAddress();
    expect(await client.isAddressReachable(server.address)).to.equal(true);
    expect([await client.isAddressReachable(address), await client.isAddressReachable('')]).to.deep.equal([
      false,
      false,
    ]);
    expect(await client.isAddressReachable('nonsense')).to.equal(false);
    expect(await client.connect(server.address)).to.equal(client.channel(server.address));
    const aborted = failure(client.connect(address, { signal: AbortSignal.abort() }));
    expect((await aborted).code).to.equal('ABORTED');
  });
});
