import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestCode } from '@rmqns/protocol';
import type { RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { createNameServer } from '../src/name-server.js';
import type { NamesrvEvent } from '../src/namesrv-event.js';
import { broker, EMPTY, nameServerFixture, recordingLogger } from './name-server-fixture.js';

describe('a name server, over time', () => {
  const { cleanUps, start, connect, ask, register, clusterInfo, route } = nameServerFixture();

  it('drops a broker at once when its connection closes', async () => {
    const server = await start();
    const [gone, client] = [connect(), connect()];
    await register(gone, server);
    const dropped = new Promise<void>((resolve) =>
      server.on('change', (event) => event.type === 'broker-name.removed' && resolve()),
    );
    await gone.destroy();
    await dropped;
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
    expect((await route(client, server)).code).to.equal(17);
  });

  it('drops a silent broker at the first scan after its timeout, and closes its connection', async () => {
    const clock = new ManualClock();
    const server = await start(
      { defaultHeartbeatTimeoutMillis: 20_000, serverChannelMaxIdleTimeSeconds: 3_600 },
      clock,
    );
    const events: NamesrvEvent['type'][] = [];
    const [silent, client] = [connect(), connect()];
    await register(silent, server);
    const closed = new Promise<void>((resolve) => silent.on('close', () => resolve()));
    server.on('change', (event) => events.push(event.type));
    for (let i = 0; i < 4; i++) clock.advance(5_000);
    expect((await route(client, server)).code).to.equal(0);
    clock.advance(5_000);
    expect(events).to.deep.equal([
      'broker.expired',
      'broker-name.removed',
      'cluster.removed',
      'topic.removed',
      'topic.removed',
    ]);
    expect((await route(client, server)).code).to.equal(17);
    await closed;
  });

  it('leaves a connection open that carries another broker which is heard', async () => {
    const clock = new ManualClock();
    const server = await start({ defaultHeartbeatTimeoutMillis: 7_000, serverChannelMaxIdleTimeSeconds: 0 }, clock);
    const [both, client] = [connect(), connect()];
    const heard = { ...broker, brokerName: 'broker-b', brokerAddr: '10.0.0.2:10911' };
    await register(both, server);
    await register(both, server, heard);
    let closed = 0;
    both.on('close', () => (closed += 1));
    clock.advance(5_000);
    await ask(both, server, RequestCode.BROKER_HEARTBEAT, heard);
    clock.advance(5_000);
    expect(
      Object.keys(JSON.parse((await clusterInfo(client, server)).replace('{0:', '{"0":')).brokerAddrTable),
    ).to.deep.equal(['broker-b']);
    expect((await ask(both, server, RequestCode.BROKER_HEARTBEAT, heard)).code).to.equal(0);
    expect(closed).to.equal(0);
  });

  for (const [profile, options, scans] of [
    ['4.7.1', {}, [5_000, 15_000, 25_000]],
    ['5.3.3', {}, [5_000, 10_000, 15_000]],
    ['4.7.1', { scanNotActiveBrokerInterval: 700 }, [700, 1_400, 2_100]],
    ['5.3.3', { scanNotActiveBrokerInterval: 8_000 }, [5_000, 13_000, 21_000]],
  ] as const) {
    it(`as ${profile} with ${JSON.stringify(options)} scans for silent brokers at ${scans.join(', ')} ms`, async () => {
      const clock = new ManualClock();
      const server = await start(
        { profile, defaultHeartbeatTimeoutMillis: 1, serverChannelMaxIdleTimeSeconds: 0, ...options },
        clock,
      );
      const scanned: number[] = [];
      server.on('change', ({ type }) => type === 'broker.expired' && scanned.push(clock.monotonic()));
      for (const scan of scans) {
        await register(connect(), server);
        clock.advance(scan - clock.monotonic() - 1);
        expect(scanned).to.not.include(scan);
        clock.advance(1);
      }
      expect(scanned).to.deep.equal(scans);
    });
  }

  it('closes a connection that sends a longer frame than maxFrameBytes', async () => {
    const server = await start({ maxFrameBytes: 2_000 });
    const put = (length: number): Promise<RemotingCommand> =>
      ask(connect(), server, RequestCode.PUT_KV_CONFIG, { namespace: 'N', key: 'K', value: 'v'.repeat(length) });
    expect((await put(1_000)).code).to.equal(0);
    const error = await put(2_000).then(
      () => expect.fail('it was answered'),
      (caught: Error) => caught,
    );
    expect(error).to.deep.include({ code: 'CONNECTION_CLOSED' });
  });

  it('closes a connection that is silent for serverChannelMaxIdleTimeSeconds', async () => {
    const clock = new ManualClock();
    const server = await start({ serverChannelMaxIdleTimeSeconds: 7 }, clock);
    const silent = connect();
    await clusterInfo(silent, server);
    const closed = new Promise<void>((resolve) => silent.on('close', () => resolve()));
    // A write is noticed a quarter of the time later at most.
    clock.advance(7_000 * 1.25);
    await closed;
  });

  it('a listener that throws changes no answer and stops no scan; its error is logged', async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const server = await start({ defaultHeartbeatTimeoutMillis: 1_000 }, clock, { logger });
    server.on('change', () => {
      throw new Error('listener');
    });
    const client = connect();
    expect((await register(client, server)).code).to.equal(0);
    const failed = () => lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(failed()).to.deep.equal([
      'a listener of the event cluster.added failed',
      'a listener of the event broker.registered failed',
      'a listener of the event topic.added failed',
      'a listener of the event topic.added failed',
    ]);
    clock.advance(5_000);
    expect(failed()).to.include('a listener of the event broker.expired failed');
    expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
  });

  describe('start and close', () => {
    let directory = '';
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'rmqns-start-'));
      cleanUps.push(() => rm(directory, { recursive: true }));
    });
    const outcome = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => 'done',
        (error: { code: string }) => error.code,
      );

    for (const [what, path] of [
      ['while it reads the KV configuration', () => join(directory, 'kvConfig.json')],
      ['while it begins to listen', () => undefined],
    ] as const) {
      it(`a close ${what} ends the start with CLOSED and leaves nothing that listens and no timer`, async () => {
        const clock = new ManualClock();
        const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, kvConfigPath: path() }, { clock });
        const started = outcome(server.start());
        await server.close();
        expect(await started).to.equal('CLOSED');
        expect(clock.pendingTimers).to.equal(0);
        if (server.address !== '') {
          expect(await outcome(ask(connect(), server, RequestCode.GET_BROKER_CLUSTER_INFO))).to.equal('CONNECT_FAILED');
        }
      });
    }

    it('a closed server does not start, and says that it was closed', async () => {
      const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
      await server.close();
      const error = await server.start().then(
        () => expect.fail('it started'),
        (caught: Error) => caught,
      );
      expect(error).to.deep.include({ code: 'CLOSED', name: 'NamesrvError' });
      expect(error.message).to.equal('the name server was closed and does not start; make another one');
    });

    it('a server starts once', async () => {
      const server = await start();
      expect(await outcome(server.start())).to.equal('STARTED_ALREADY');
      expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
    });
  });
});
