import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { closeWaits, tellsStates } from './close-waits.js';
import { type RawServer, rawServer, until } from './raw-server.js';

const request = RemotingCommand.request(1);
const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
  promise.then(
    () => expect.fail('the call succeeded'),
    (error: RemotingError) => error,
  );

/** Sockets of this process that are open or being opened. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => /^(TCP|Pipe)(Socket|Connect)?Wrap$/.test(kind)).length;

describe('The life of a client', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function silent(): Promise<RawServer> {
    const raw = await rawServer((socket) => socket.resume());
    cleanUps.push(() => raw.close());
    return raw;
  }

  it('close waits for calls, wakes when the last of them times out, and reports (W13)', async () => {
    const clock = new ManualClock();
    const client = new RemotingClient({ clock });
    const { address } = await silent();
    const call = failure(client.invokeSync(address, request, 2_000));
    await until(() => client.describe().channels[0]?.pendingCalls === 1);
    const closed = client.close({ graceMillis: 5_000 });
    clock.advance(2_000);
    expect((await call).code).to.equal('TIMEOUT');
    expect(await closed).to.deep.equal({ finished: 1, cut: 0 });
    expect(clock.pendingTimers).to.equal(0);
  });

  it('close cuts off what is not done within its grace, also a hundred calls whose promises were dropped (W4)', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const clock = new ManualClock();
    const client = new RemotingClient({ clock });
    const { address } = await silent();
    await client.connect(address);
    for (let i = 0; i < 100; i++) void client.invokeSync(address, request, 60_000);
    const awaited = failure(client.invokeSync(address, request, 60_000));
    const closed = client.close({ graceMillis: 1_000 });
    clock.advance(1_000);
    expect(await closed).to.deep.equal({ finished: 0, cut: 101 });
    expect((await awaited).message).to.equal('request 1 was cut off: the client is closed');
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('unhandledRejection', listener);
    expect([unhandled, clock.pendingTimers]).to.deep.equal([[], 0]);
  });

  it('closing while it resolves, dials, or has just connected leaves no socket and no timer (W67)', async () => {
    const { address } = await silent();
    const before = sockets();
    const clock = new ManualClock();
    const phases: ((client: RemotingClient) => Promise<void>)[] = [
      async () => {},
      async () => await new Promise((resolve) => setImmediate(resolve)),
      async (client) => await until(() => client.describe().channels.length === 1),
    ];
    for (const end of ['close', 'destroy'] as const) {
      for (const phase of phases) {
        const client = new RemotingClient({ clock });
        const connected = client.connect(address).catch((error: RemotingError) => error);
        await phase(client);
        await client[end]();
        await connected;
      }
      const client = new RemotingClient({ clock, lookup: () => {} });
      void client.connect('never.invalid:1');
      await client.destroy();
    }
    await until(() => sockets() <= before);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('is over at the end of its block, by await using', async () => {
    const server = new RemotingServer();
    server.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0) });
    await server.start();
    cleanUps.push(() => server.destroy());
    {
      await using client = new RemotingClient();
      await client.invokeSync(server.address, request);
    }
    await until(() => server.channels.size === 0);
  });

  it('closes its half when the server has closed its own and reads on, idle or amid a call, so that nothing is left half closed (W37)', async () => {
    const careless = await rawServer((socket) => socket.resume().end());
    cleanUps.push(() => careless.close());
    const halfOpen = connect({ port: careless.port, host: '127.0.0.1', allowHalfOpen: true }).resume();
    cleanUps.push(() => halfOpen.destroy());
    await once(halfOpen, 'end');
    expect(closeWaits(careless.port)).to.equal(tellsStates ? 1 : 0);
    for (const isCalling of [false, true]) {
      const raw = await rawServer((socket) => {
        socket.resume();
        if (isCalling) socket.once('data', () => socket.end());
        else socket.end();
      });
      cleanUps.push(() => raw.close());
      const client = new RemotingClient();
      cleanUps.push(() => client.destroy());
      if (isCalling)
        expect((await failure(client.invokeSync(raw.address, request))).code).to.equal('CONNECTION_CLOSED');
      else await client.connect(raw.address).catch(() => {});
      await until(() => raw.sockets.size === 0 && raw.connections === 1);
      expect([client.describe().channels, closeWaits(raw.port)]).to.deep.equal([[], 0]);
    }
  });

  it('holds a thousand dials that time out for no longer than they last (W41)', async () => {
    const clock = new ManualClock();
    const client = new RemotingClient({ clock, lookup: () => {}, connectTimeoutMillis: 100 });
    cleanUps.push(() => client.destroy());
    const before = sockets();
    const dials = Array.from({ length: 1_000 }, (_, i) => failure(client.connect(`a${i}.invalid:1`)));
    clock.advance(100);
    expect(new Set((await Promise.all(dials)).map(({ code }) => code))).to.deep.equal(new Set(['CONNECT_FAILED']));
    await until(() => sockets() <= before);
    expect([client.describe().dialling, clock.pendingTimers]).to.deep.equal([[], 0]);
  });

  it('takes an answer that has arrived while this process stood still for a second, beyond the timeout (W21)', async () => {
    const server = new RemotingServer();
    server.registerDefaultProcessor({
      processRequest: () => {
        // The answer leaves at the end of this turn, and cannot be read before this is over.
        setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000));
        return RemotingCommand.response(0);
      },
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    await client.connect(server.address);
    expect((await client.invokeSync(server.address, request, 100)).code).to.equal(0);
  });

  it('takes permits for awaited calls with limitSyncCalls, and lets them wait with waitForPermit', async () => {
    const clock = new ManualClock();
    const { address } = await silent();
    const limited = new RemotingClient({ clock, asyncPermits: 1, limitSyncCalls: true });
    cleanUps.push(() => limited.destroy());
    void limited.invokeSync(address, request);
    expect((await failure(limited.invokeSync(address, request))).code).to.equal('TOO_MANY_REQUESTS');
    const patient = new RemotingClient({ clock, asyncPermits: 1, limitSyncCalls: true, waitForPermit: true });
    cleanUps.push(() => patient.destroy());
    void patient.invokeSync(address, request);
    const waits = failure(patient.invokeSync(address, request, 500));
    expect(patient.describe().permits.async).to.deep.equal({ total: 1, free: 0, waiting: 1 });
    clock.advance(500);
    expect([(await waits).code, (await waits).phase]).to.deep.equal(['TIMEOUT', 'queue']);
  });

  it('describes itself as plain data (W82)', async () => {
    const { address } = await silent();
    const client = new RemotingClient({ asyncPermits: 3 });
    cleanUps.push(() => client.destroy());
    client.updateNameServerAddressList([address]);
    client.invokeAsync(address, request, 5_000, () => {});
    void client.invokeSync(address, request, 5_000);
    await until(() => client.describe().channels[0]?.pendingCalls === 2);
    const described = client.describe();
    expect(JSON.parse(JSON.stringify(described))).to.deep.equal(described);
    expect(described).to.deep.include({
      state: 'open',
      dialling: [],
      pendingCalls: { [address]: 2 },
      permits: { async: { total: 3, free: 2, waiting: 0 }, oneway: { total: 65_535, free: 65_535, waiting: 0 } },
      nameServers: { addresses: [address], chosen: null, available: [address] },
      connectFailures: [],
    });
    expect(described.channels[0]).to.deep.include({
      address,
      remoteAddress: address,
      state: 'active',
      isWritable: true,
    });
  });

  it('installs no handler of the process (W63)', async () => {
    const count = (): number[] => process.eventNames().map((name) => process.listenerCount(name));
    const before = count();
    const client = new RemotingClient();
    const { address } = await silent();
    await client.connect(address);
    expect(count()).to.deep.equal(before);
    await client.destroy();
  });

  describe('and of its process', () => {
    const index = new URL('../../src/index.js', import.meta.url).href;

    /** What a process wrote, and how it ended: with a code by itself, or with `null` by a signal. */
    async function run(body: string, address: string): Promise<{ out: string; code: number | null }> {
      const text = `
        import { RemotingClient, RemotingCommand, RemotingServer } from ${JSON.stringify(index)};
        let address = ${JSON.stringify(address)};
        ${body}`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (data: Buffer) => {
        out += data.toString();
      });
      const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
      return { out, code };
    }

    async function echo(delayMillis: number): Promise<string> {
      const server = new RemotingServer();
      server.registerProcessor(1, {
        processRequest: () =>
          new Promise((resolve) => setTimeout(() => resolve(RemotingCommand.response(0)), delayMillis)),
      });
      server.registerProcessor(2, { processRequest: () => undefined });
      await server.start();
      cleanUps.push(() => server.destroy());
      return server.address;
    }

    it('goes on while a call waits, and ends by itself after it though the client was not closed (W65, W66)', async () => {
      const { out, code } = await run(
        `const client = new RemotingClient({ heartbeatMillis: 1000 });
         client.invokeSync(address, RemotingCommand.request(1)).then((response) => console.log('answer', response.code));`,
        await echo(200),
      );
      expect([out, code]).to.deep.equal(['answer 0\n', 0]);
    });

    /** What a client does before it is closed; each leaves timers or sockets that only a close ends. */
    const lives: Readonly<Record<string, [options: string, life: string]>> = {
      'was connected': ['', 'await client.connect(address);'],
      'beats and was told to hold the process': [
        'heartbeatMillis: 1000, keepProcessAlive: true',
        'await client.invokeSync(address, RemotingCommand.request(1));',
      ],
      'has calls that nobody answers': [
        '',
        `await client.connect(address);
         for (let i = 0; i < 10; i++) void client.invokeSync(address, RemotingCommand.request(2), 60_000);`,
      ],
      dials: ['lookup: () => {}', `void client.connect('never.invalid:1').catch(() => {});`],
      'makes a lost connection anew': [
        'eager: true',
        `const server = new RemotingServer();
         await server.start();
         await client.connect(server.address);
         await server.destroy();
         while (client.describe().connectFailures.length === 0) await new Promise((resolve) => setImmediate(resolve));`,
      ],
      'resolves names and scans name servers': [
        'scanAvailableNameSrv: true, resolveIntervalMillis: 1000',
        `client.updateNameServerAddressList([address]);
         await client.invokeSync(undefined, RemotingCommand.request(1));`,
      ],
      'lives beside a server': [
        '',
        `const server = new RemotingServer();
         await server.start();
         await client.connect(server.address);
         await server.close();`,
      ],
    };
    for (const [what, [options, life]] of Object.entries(lives)) {
      it(`has nothing left to wait for once a client is closed that ${what}, and ends by itself (W65)`, async () => {
        const { out, code } = await run(
          `const client = new RemotingClient({ ${options} });
           ${life}
           await client.close({ graceMillis: 0 });
           process.once('beforeExit', () => console.log('ends'));
           // Stdout is a pipe here. Node closes what was destroyed in a later turn.
           const left = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap').join();
           for (let turn = 0; turn < 3 && left() !== ''; turn++) await new Promise((resolve) => setImmediate(resolve));
           console.log(left() || 'nothing is left');`,
          await echo(0),
        );
        expect([out, code]).to.deep.equal(['nothing is left\nends\n', 0]);
      });
    }

    const phases: Readonly<Record<string, [options: string, before: string]>> = {
      dial: [
        `lookup: (host, options, done) => setTimeout(() => done(null, [{ address: '127.0.0.1', family: 4 }]), 200).unref()`,
        `address = address.replace('127.0.0.1', 'server.invalid');`,
      ],
      queue: [
        'asyncPermits: 1, limitSyncCalls: true, waitForPermit: true',
        `client.invokeSync(address, RemotingCommand.request(1));`,
      ],
      probe: [
        'verifyIdleMillis: 1, heartbeatCode: 1',
        `await client.connect(address); await new Promise((resolve) => setTimeout(resolve, 20));`,
      ],
    };
    for (const [phase, [options, before]] of Object.entries(phases)) {
      it(`goes on while a call is in its ${phase}, though nothing else holds it (W66)`, async () => {
        const { out, code } = await run(
          `const client = new RemotingClient({ ${options} });
           ${before}
           client.invokeSync(address, RemotingCommand.request(1)).then((response) => console.log('answer', response.code));`,
          await echo(200),
        );
        expect([out, code]).to.deep.equal(['answer 0\n', 0]);
      });
    }

    it('is held by an idle connection with keepProcessAlive', async () => {
      const { out, code } = await run(
        `const client = new RemotingClient({ keepProcessAlive: true });
         await client.connect(address);
         process.once('beforeExit', () => console.log('too early'));
         setTimeout(() => { console.log('held'); client.close(); }, 100).unref();`,
        await echo(0),
      );
      expect([out.split('\n')[0], code]).to.deep.equal(['held', 0]);
    });
  });
});
