import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

describe('Addresses of a client', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0]): RemotingClient {
    const client = new RemotingClient(options);
    cleanUps.push(() => client.destroy());
    return client;
  }

  async function serve(host: string, port = 0, remark = host): Promise<RemotingServer> {
    const server = new RemotingServer({ host, port });
    server.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0, remark) });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  /** A resolver that the test may change. */
  function resolver(addresses: string[]): { lookup: LookupFunction; addresses: string[]; asked: number } {
    const state = {
      addresses,
      asked: 0,
      lookup: ((_name, options, callback) => {
        state.asked++;
        const found = state.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const first = found[0];
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      }) as LookupFunction,
    };
    return state;
  }

  it('go to the addresses that a name has at the time of the dial', async () => {
    const one = await serve('127.0.0.1');
    const port = Number(one.address.split(':')[1]);
    const two = await serve('127.0.0.2', port);
    const names = resolver(['127.0.0.1']);
    const client = makeClient({ lookup: names.lookup });
    const ask = async () => (await client.invokeSync(`mq.test:${port}`, RemotingCommand.request(1))).remark;
    expect(await ask()).to.equal('127.0.0.1');
    names.addresses = ['127.0.0.2'];
    expect(await ask()).to.equal('127.0.0.1');
    await client.channel(`mq.test:${port}`)?.close();
    expect(await ask()).to.equal('127.0.0.2');
    expect(two.channels.size).to.equal(1);
  });

  it('leave an address that its name has no more, within resolveIntervalMillis and without a failed call (W38)', async () => {
    const one = await serve('127.0.0.1');
    const port = Number(one.address.split(':')[1]);
    await serve('127.0.0.2', port);
    const names = resolver(['127.0.0.1']);
    const clock = new ManualClock();
    const client = makeClient({ lookup: names.lookup, clock, resolveIntervalMillis: 5_000 });
    const ask = async () => (await client.invokeSync(`mq.test:${port}`, RemotingCommand.request(1), 60_000)).remark;
    expect(await ask()).to.equal('127.0.0.1');
    names.addresses = ['127.0.0.1', '127.0.0.2'];
    clock.advance(5_000);
    expect(await ask()).to.equal('127.0.0.1');
    names.addresses = ['127.0.0.2'];
    const waits = ask();
    clock.advance(5_000);
    expect(await waits).to.equal('127.0.0.1');
    expect(await ask()).to.equal('127.0.0.2');
    await until(() => one.channels.size === 0);
    expect(client.describe().channels).to.have.length(1);
  });

  it('keep a connection while the resolver fails', async () => {
    const one = await serve('127.0.0.1');
    const port = Number(one.address.split(':')[1]);
    const names = resolver(['127.0.0.1']);
    const clock = new ManualClock();
    let fails = false;
    const lookup: LookupFunction = (name, options, callback) =>
      fails ? callback(new Error('SERVFAIL'), '', 4) : names.lookup(name, options, callback);
    const client = makeClient({ lookup, clock, resolveIntervalMillis: 1_000 });
    await client.connect(`mq.test:${port}`);
    fails = true;
    clock.advance(3_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.channel(`mq.test:${port}`)?.isActive).to.equal(true);
  });

  it('of a name with two families go to the one that lives', async () => {
    const server = await serve('127.0.0.1');
    const port = server.address.split(':')[1];
    const client = makeClient({ lookup: resolver(['::1', '127.0.0.1']).lookup });
    expect((await client.invokeSync(`dual.test:${port}`, RemotingCommand.request(1))).code).to.equal(0);
  });

  it('may be IPv6, with and without brackets', async function () {
    let server: RemotingServer;
    try {
      server = await serve('::1');
    } catch {
      return this.test?.parent === undefined ? undefined : expect(true).to.equal(true);
    }
    const port = server.address.split(':').at(-1);
    const client = makeClient({});
    for (const address of [`[::1]:${port}`, `::1:${port}`])
      expect((await client.invokeSync(address, RemotingCommand.request(1))).code, address).to.equal(0);
    return undefined;
  });

  it('may be Unix sockets', async () => {
    const path = join(tmpdir(), `rmqns-${process.pid}-${Date.now()}.sock`);
    const raw = await rawServer((socket) => socket.resume(), 0, path);
    cleanUps.push(() => raw.close());
    const client = makeClient({});
    const channel = await client.connect(`unix:${path}`);
    expect([channel.remoteAddress, raw.connections]).to.deep.equal([`unix:${path}`, 1]);
    const error = await client.connect('unix:/nowhere/at/all.sock').catch((thrown: Error) => thrown);
    expect((error as Error).message).to.match(/^connect to unix:\/nowhere\/at\/all\.sock failed: .*ENOENT/);
  });
});

describe('The name server list of a client', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('lets the calls over a connection end whose address leaves the list, then closes it', async () => {
    let finish = (): void => {};
    const one = new RemotingServer();
    one.registerDefaultProcessor({
      processRequest: () =>
        new Promise((resolve) => {
          finish = () => resolve(RemotingCommand.response(1));
        }),
    });
    const two = new RemotingServer();
    two.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(2) });
    const client = new RemotingClient();
    for (const server of [one, two]) {
      await server.start();
      cleanUps.push(() => server.destroy());
    }
    cleanUps.push(() => client.destroy());
    client.updateNameServerAddressList([one.address]);
    const ask = () => client.invokeSync(undefined, RemotingCommand.request(1));
    const waits = ask();
    await until(() => one.counters.requestsIn === 1);
    client.updateNameServerAddressList([two.address]);
    expect((await ask()).code).to.equal(2);
    expect(client.describe().channels.map(({ state }) => state)).to.deep.equal(['active', 'draining']);
    finish();
    expect((await waits).code).to.equal(1);
    await until(() => one.channels.size === 0);
  });

  it('is looked up once at a time, however often a refresh is asked for, and stays when the lookup fails (W93)', async () => {
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    let lookups = 0;
    const source = async (): Promise<string[]> => {
      lookups++;
      await new Promise((resolve) => setImmediate(resolve));
      return ['a:1', 'b:1'];
    };
    await Promise.all(Array.from({ length: 20 }, () => client.refreshNameServerAddressList(source)));
    expect([lookups, client.nameServerAddressList]).to.deep.equal([2, ['a:1', 'b:1']]);
    const failed = client.refreshNameServerAddressList(() => Promise.reject(new Error('no address server')));
    expect(await failed.catch((error: Error) => error.message)).to.equal('no address server');
    expect(client.nameServerAddressList).to.deep.equal(['a:1', 'b:1']);
  });

  it('is tried as a whole with scanAvailableNameSrv, again each connectTimeoutMillis; only connections that stand count', async () => {
    const clock = new ManualClock();
    const up = await rawServer((socket) => socket.resume());
    cleanUps.push(() => up.close());
    const dead = await rawServer(() => {});
    await dead.close();
    const client = new RemotingClient({ clock, scanAvailableNameSrv: true });
    cleanUps.push(() => client.destroy());
    expect(client.availableNameServerAddressList).to.deep.equal([]);
    client.updateNameServerAddressList([up.address, dead.address]);
    await until(() => client.availableNameServerAddressList.length === 1);
    expect(client.availableNameServerAddressList).to.deep.equal([up.address]);
    const back = await rawServer((socket) => socket.resume(), dead.port);
    cleanUps.push(() => back.close());
    clock.advance(3_000);
    await until(() => client.availableNameServerAddressList.length === 2);
    await client.close();
    clock.advance(10_000);
    expect([back.connections, up.connections, clock.pendingTimers]).to.deep.equal([1, 1, 0]);
  });
});
