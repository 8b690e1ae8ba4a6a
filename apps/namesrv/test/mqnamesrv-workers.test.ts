import {
  bodyCrc32,
  encodeRegisterBrokerBody,
  GetRouteInfoByTopic,
  RegisterBroker,
  type RegisterBrokerBody,
} from '@rmqns/protocol';
import { RemotingClient } from '@rmqns/remoting';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { type MqnamesrvProcess, TestHome } from './mqnamesrv-process.js';

const withWorkers = ['--port', '0', '--bind', '127.0.0.1', '--set', 'workers=2'];

const body: RegisterBrokerBody = {
  topicConfigSerializeWrapper: {
    dataVersion: { timestamp: 1, counter: 1, stateVersion: 0 },
    topicConfigTable: new Map(
      ['T1', 'T2'].map((topicName) => [
        topicName,
        {
          topicName,
          readQueueNums: 4,
          writeQueueNums: 4,
          perm: 6,
          topicFilterType: 'SINGLE_TAG',
          topicSysFlag: 0,
          order: false,
        },
      ]),
    ),
    topicQueueMappingInfoMap: new Map(),
  },
  filterServerList: [],
};

describe('mqnamesrv with workers', () => {
  let home: TestHome;
  const clients: RemotingClient[] = [];
  beforeEach(() => {
    home = new TestHome();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.destroy()));
    await home.remove();
  });

  const connect = (): RemotingClient => {
    const client = new RemotingClient({ version: 479 });
    clients.push(client);
    return client;
  };

  async function register(client: RemotingClient, address: string): Promise<void> {
    const bytes = encodeRegisterBrokerBody(body, { compressed: false, fiveX: true });
    const header = {
      brokerName: 'a',
      brokerAddr: '10.0.0.1:10911',
      clusterName: 'C1',
      haServerAddr: '10.0.0.1:10912',
      brokerId: 0,
      compressed: false,
      bodyCrc32: bodyCrc32(bytes),
    };
    await client.call(address, RegisterBroker, header, { body: bytes });
  }

  const code = (client: RemotingClient, address: string): Promise<number> =>
    client.call(address, GetRouteInfoByTopic, { topic: 'T1' }).then(
      () => 0,
      (error: { responseCode?: number }) => error.responseCode ?? -1,
    );

  /** The processes that the log names. */
  const pidsOf = (server: MqnamesrvProcess): number[] =>
    server.logLines
      .filter(({ msg }) => String(msg).includes('serves route lookups'))
      .map(({ workerPid }) => Number(workerPid));

  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('serves lookups, forgets a broker whose connection closes, and starts a killed worker again', async () => {
    const server = home.start(withWorkers);
    const address = `127.0.0.1:${await server.booted()}`;
    const broker = connect();
    const client = connect();
    await register(broker, address);
    expect(await code(client, address)).to.equal(0);
    for (const pid of pidsOf(server)) process.kill(pid, 'SIGKILL');
    await server.line(/was ended by SIGKILL; its 1 connections are closed, and it is started again in 100 ms/);
    await eventually(async () => ((await code(client, address)) === 0 ? true : undefined), {
      what: 'a route again',
      timeoutMillis: 10_000,
    });
    await broker.destroy();
    await eventually(async () => ((await code(client, address)) === 17 ? true : undefined), {
      what: 'the broker gone',
      timeoutMillis: 10_000,
    });
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends on ${signal} with exit code 0, with connections open, and its workers with it`, async () => {
      const server = home.start(withWorkers);
      const address = `127.0.0.1:${await server.booted()}`;
      await register(connect(), address);
      expect(await code(connect(), address)).to.equal(0);
      const pids = pidsOf(server);
      expect(pids).to.have.lengthOf(2);
      // As a terminal or a service does: to all of them.
      for (const pid of pids) process.kill(pid, signal);
      server.kill(signal);
      expect(await server.ended).to.equal(0);
      expect(server.stderr).to.equal('');
      expect(pids.filter(isRunning)).to.deep.equal([]);
    });

  it('leaves no worker behind when it is killed', async () => {
    const server = home.start(withWorkers);
    await server.booted();
    const pids = pidsOf(server);
    server.kill('SIGKILL');
    await server.exited;
    await eventually(async () => (pids.some(isRunning) ? undefined : true), {
      what: 'the workers gone',
      timeoutMillis: 10_000,
    });
  });
});
