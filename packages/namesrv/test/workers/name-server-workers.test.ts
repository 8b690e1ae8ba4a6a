import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { RequestCode } from '@rmqns/protocol';
import { RemotingClient, type RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import type { NameServer } from '../../src/name-server.js';
import type { WorkerDescription } from '../../src/workers/worker-slot.js';
import { nameServerFixture, recordingLogger } from '../name-server-fixture.js';

/** Processes of their own serve the lookups here. */
describe('a name server with workers', () => {
  const { cleanUps, start, connect, ask, register, text, clusterInfo, route } = nameServerFixture();

  /** Processes of their own have no event for it. */
  const becomes = (what: string, holds: () => Promise<boolean>): Promise<true> =>
    eventually(async () => ((await holds()) ? true : undefined), { what, timeoutMillis: 8_000, intervalMillis: 20 });

  const sum = async (server: NameServer, what: 'connections' | 'lookups' | 'misses'): Promise<number> =>
    (await server.describeWorkers()).reduce((total, worker) => total + (worker[what] ?? 0), 0);
  const shown = async (client: RemotingClient, server: NameServer, topic = 'T1'): Promise<unknown[]> => {
    const { code, body } = await route(client, server, topic);
    return [
      code,
      body === undefined ? undefined : (JSON.parse(text({ body } as RemotingCommand)).queueDatas?.length ?? 0),
    ];
  };

  it('serves lookups by them, from copies, and spreads the connections', async () => {
    const server = await start({ workers: 2 });
    const brokers = connect();
    expect((await register(brokers, server)).code).to.equal(0);
    const clients = [connect(), connect(), connect(), connect()];
    for (const client of clients) expect(await shown(client, server)).to.deep.equal([0, 1]);
    for (const client of clients) expect(await shown(client, server)).to.deep.equal([0, 1]);
    const workers = await server.describeWorkers();
    expect(
      workers.map(({ state, connections, lookups, misses, copies }) => [state, connections, lookups, misses, copies]),
    ).to.deep.equal([
      ['serving', 2, 4, 1, 1],
      ['serving', 2, 4, 1, 1],
    ]);
  });

  it('gives the same bytes as alone, to every kind of client', async () => {
    const [alone, shared] = [await start(), await start({ workers: 2 })];
    const answers = async (server: NameServer): Promise<unknown[]> => {
      const client = connect();
      await register(client, server);
      const found: unknown[] = [];
      for (const version of [407, 479])
        for (const extFields of [
          { topic: 'T1' },
          { topic: 'T1', acceptStandardJsonOnly: 'true' },
          { topic: 'no' },
          {},
        ] as Record<string, string>[]) {
          const asking = connect(version);
          for (let time = 0; time < 2; time++) {
            const {
              code,
              remark,
              body,
              flag,
              version: stamped,
              language,
            } = await ask(asking, server, RequestCode.GET_ROUTEINFO_BY_TOPIC, extFields);
            found.push({ code, remark, body: String(body), flag, stamped, language });
          }
        }
      return found;
    };
    expect(await answers(shared)).to.deep.equal(await answers(alone));
  });

  it('shows a change to everybody once the request that made it is answered', async () => {
    const server = await start({ workers: 2 });
    const brokers = connect();
    const clients = [connect(), connect()];
    await register(brokers, server);
    for (const client of clients) expect(await shown(client, server)).to.deep.equal([0, 1]);
    for (let round = 0; round < 25; round++) {
      const more = { brokerName: `more-${round}`, brokerAddr: `10.0.1.${round}:10911` };
      await register(brokers, server, more);
      for (const client of clients) expect(await shown(client, server)).to.deep.equal([0, round + 2]);
    }
    for (let round = 0; round < 25; round++) {
      const gone = {
        brokerName: `more-${round}`,
        brokerAddr: `10.0.1.${round}:10911`,
        clusterName: 'C1',
        brokerId: '0',
      };
      expect((await ask(brokers, server, RequestCode.UNREGISTER_BROKER, gone)).code).to.equal(0);
      for (const client of clients) expect(await shown(client, server)).to.deep.equal([0, 25 - round]);
    }
    // On the same connection as well, which is its owner's now.
    expect(await shown(brokers, server)).to.deep.equal([0, 1]);
    await ask(connect(), server, RequestCode.DELETE_TOPIC_IN_NAMESRV, { topic: 'T1' });
    for (const client of clients) expect((await route(client, server)).code).to.equal(17);
  });

  it('shows what an option says as soon as it is set', async () => {
    const server = await start({ workers: 2, configUpdatePolicy: 'apache' });
    const client = connect();
    await register(connect(), server);
    await ask(connect(), server, RequestCode.PUT_KV_CONFIG, {
      namespace: 'ORDER_TOPIC_CONFIG',
      key: 'T1',
      value: 'broker-a:4',
    });
    expect(text(await route(client, server))).to.not.include('orderTopicConf');
    const set = await ask(
      connect(),
      server,
      RequestCode.UPDATE_NAMESRV_CONFIG,
      {},
      Buffer.from('orderMessageEnable=true'),
    );
    expect(set.code).to.equal(0);
    expect(text(await route(client, server))).to.include('"orderTopicConf":"broker-a:4"');
  });

  it('loses a broker when its connection closes, and shows that', async () => {
    const server = await start({ workers: 2 });
    const broker = connect();
    const client = connect();
    await register(broker, server);
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    await broker.destroy();
    await becomes('the broker to be gone', async () => (await route(client, server)).code === 17);
  });

  it('knows a client by the address that a proxy says, whichever process serves it', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({ workers: 2 }, undefined, { logger });
    const client = new RemotingClient({
      version: 479,
      createConnection: async (address) => {
        const socket = dial(Number(address.split(':')[1]), '127.0.0.1');
        await once(socket, 'connect');
        socket.write('PROXY TCP4 10.1.2.3 127.0.0.1 40000 9876\r\n');
        return socket;
      },
    });
    cleanUps.push(() => client.destroy());
    expect((await route(client, server)).code).to.equal(17);
    expect((await register(client, server, { bodyCrc32: '1' })).code).to.equal(1);
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).to.deep.equal([
      'receive registerBroker request,crc32 not match,from 10.1.2.3:40000',
    ]);
  });

  it('counts the connections of all processes against maxConnections', async () => {
    const server = await start({ workers: 2, maxConnections: 2 });
    const [first, second, third] = [connect(), connect(), connect()];
    expect((await route(first, server)).code).to.equal(17);
    await clusterInfo(second, server);
    const outcome = await route(third, server).catch((error: { code: string }) => error.code);
    expect(outcome).to.equal('CONNECTION_CLOSED');
    await first.destroy();
    await becomes('the place to be free', async () => (await sum(server, 'connections')) === 0);
    expect((await route(connect(), server)).code).to.equal(17);
  });

  it('goes on when a worker is killed: brokers stay, its clients come back', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({ workers: 2 }, undefined, { logger });
    await register(connect(), server);
    const client = connect();
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    const of = ({ connections }: WorkerDescription): boolean => connections > 0;
    const killed = (await server.describeWorkers()).find(of);
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    await becomes('its connections to be closed', async () => (await sum(server, 'connections')) === 0);
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    await becomes('it to be started again', async () =>
      (await server.describeWorkers()).every(({ state }) => state === 'serving'),
    );
    const said = lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(said).to.deep.equal([
      `worker ${killed?.worker} (pid ${killed?.pid}) was ended by SIGKILL; its 1 connections are closed, and it is started again in 100 ms`,
    ]);
  });

  it('that is about to stop has its workers send clients elsewhere, also for routes that they had', async () => {
    const clock = new ManualClock();
    const server = await start({ workers: 2, shutdownDelaySeconds: 5 }, clock);
    const client = connect();
    await register(connect(), server);
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    const closed = server.close();
    await becomes('the word to be there', async () => (await route(client, server)).code === 1);
    for (const asking of [client, connect()])
      expect((await route(asking, server)).remark).to.equal('name server not ready');
    clock.advance(5_000);
    await closed;
    expect(clock.pendingTimers).to.equal(0);
  });

  it('that stops leaves no process behind, and tells its clients', async () => {
    const server = await start({ workers: 2 });
    const client = connect(407);
    await register(connect(), server);
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    const pids = (await server.describeWorkers()).map(({ pid }) => pid ?? 0);
    await server.close();
    for (const pid of pids) expect(() => process.kill(pid, 0)).to.throw('ESRCH');
    expect(await server.describeWorkers()).to.have.lengthOf(2);
  });

  it('that cannot listen leaves no process behind', async () => {
    const taken = await start();
    const port = Number(taken.address.split(':')[1]);
    const { createNameServer } = await import('../../src/name-server.js');
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: port, workers: 2 });
    const outcome = await server.start().catch((error: { code: string }) => error.code);
    expect(outcome).to.equal('BIND_FAILED');
    expect((await server.describeWorkers()).map(({ state }) => state)).to.deep.equal(['ended', 'ended']);
  });

  for (const [why, options] of [
    ['every connection has TLS', { 'tls.server.mode': 'enforcing', 'tls.test.mode.enable': true }],
  ] as const)
    it(`has none where ${why}, and says so`, async () => {
      const { logger, lines } = recordingLogger();
      const server = await start({ workers: 2, ...options }, undefined, { logger });
      expect(await server.describeWorkers()).to.deep.equal([]);
      expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).to.include(
        'workers=2 has no effect: connections with TLS are served by the process that has the tables',
      );
    });

  it('serves TLS beside plain connections', async () => {
    const server = await start({ workers: 2, 'tls.test.mode.enable': true, 'tls.server.mode': 'permissive' });
    await register(connect(), server);
    const client = new RemotingClient({ version: 479, tls: { authServer: false } });
    cleanUps.push(() => client.destroy());
    expect(await shown(client, server)).to.deep.equal([0, 1]);
    expect(await sum(server, 'lookups')).to.equal(0);
    expect(await shown(connect(), server)).to.deep.equal([0, 1]);
    expect(await sum(server, 'lookups')).to.equal(1);
  });
});
