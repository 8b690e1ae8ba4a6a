import { once } from 'node:events';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import {
  decodeKvTable,
  decodePropertiesBytes,
  NotifyMinBrokerIdChange,
  parseProperties,
  RequestCode,
} from '@rmqns/protocol';
import { parseSocketAddress, RemotingClient, silentLogger, systemClock } from '@rmqns/remoting';
import { RemotingCommand } from '@rmqns/remoting/command';
import { expect } from 'chai';
import type { AgentConfig } from '../src/agent-config.js';
import { AgentService } from '../src/agent-service.js';
import { FacadeCompanion } from '../src/facade-companion.js';
import { agentConfig, Scratch } from './agent-fixture.js';

describe('the facade of an agent', () => {
  let scratch: Scratch;
  let server: NameServer;
  let service: AgentService;
  let facade: FacadeCompanion;
  let client: RemotingClient;
  let config: AgentConfig;
  let said: string[];

  beforeEach(async () => {
    said = [];
    scratch = new Scratch();
    server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await server.start();
    client = new RemotingClient();
  });
  afterEach(async () => {
    await client.destroy();
    await service.stop();
    await server.close();
    scratch[Symbol.dispose]();
  });

  async function start(port = 0): Promise<void> {
    config = {
      ...agentConfig([server.address], ['A', 'B'], join(scratch.path, 'state')),
      facade: { host: '127.0.0.1', port },
    };
    const logger = { ...silentLogger, error: (_: object, message?: string) => void said.push(message ?? '') };
    service = new AgentService({ config, clock: systemClock, logger });
    facade = new FacadeCompanion({ status: () => service.status, clock: systemClock, logger });
    service.add(facade);
    await service.start();
  }
  const ask = (code: number): Promise<RemotingCommand> =>
    client.invokeSync(facade.address ?? '', RemotingCommand.request(code), 3_000);

  it('answers with runtime information in which every value is text and every rate a number', async () => {
    await start();
    const { code, body } = await ask(RequestCode.GET_BROKER_RUNTIME_INFO);
    expect(code).to.equal(0);
    const table = decodeKvTable(body ?? new Uint8Array());
    expect(table.get('brokerVersionDesc')).to.equal('V4_9_7');
    expect(table.get('brokerActive')).to.equal('true');
    for (const key of ['putTps', 'getTransferedTps', 'getTransferredTps', 'getTotalTps'])
      expect(table.get(key)?.split(' ').map(Number)).to.deep.equal([0, 0, 0]);
    for (const key of ['commitLogDiskRatio', 'earliestMessageTimeStamp', 'msgPutTotalTodayNow', 'timerReadBehind'])
      expect(Number(table.get(key))).to.be.within(-1, 0);
  });

  it('answers with the configuration that is registered', async () => {
    await start();
    const { body, extFields } = await ask(RequestCode.GET_BROKER_CONFIG);
    const { entries, problems } = parseProperties(decodePropertiesBytes(body ?? new Uint8Array()));
    expect(problems).to.deep.equal([]);
    expect(Object.fromEntries(entries.map(({ key, value }) => [key, value]))).to.deep.equal({
      brokerName: 'broker-a',
      brokerClusterName: 'C',
      brokerId: '0',
      brokerIP1: '10.0.0.1',
      listenPort: '10911',
      namesrvAddr: server.address,
      brokerPermission: '6',
    });
    expect(JSON.parse(String(extFields?.['version']))).to.have.all.keys('counter', 'timestamp');
  });

  it('takes from a name server who has the smallest id of the group, where the broker may act as master', async () => {
    const told = { minBrokerId: 1, minBrokerAddr: '10.0.0.9:10911' };
    const tell = async (): Promise<void> => {
      await client.oneway(facade.address ?? '', NotifyMinBrokerIdChange, told);
      // Answered after it, on the same connection.
      await ask(RequestCode.GET_BROKER_CONFIG);
    };
    await start();
    await tell();
    expect(service.status.minBroker).to.equal(undefined);
    const { identity } = config;
    await service.reload({ ...config, identity: { ...identity, brokerId: 1, enableActingMaster: true } });
    await tell();
    expect(service.status.minBroker).to.deep.equal(told);
  });

  it('answers everything else with code 3', async () => {
    await start();
    for (const code of [RequestCode.SEND_MESSAGE, RequestCode.GET_ALL_TOPIC_CONFIG, 35, 12_345])
      expect((await ask(code)).code).to.equal(3);
  });

  it('is not there where the port is in use, which the log says, and the node is registered', async () => {
    const registered = new Promise((resolve) => server.once('change', resolve));
    await start(parseSocketAddress(server.address).port);
    await registered;
    expect(said).to.deep.equal(['the facade cannot listen, the node is registered nevertheless']);
    expect(facade.address).to.equal(undefined);
  });

  it('is there when the configuration is read again after the port came free', async () => {
    const holder = createNetServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    const { port } = holder.address() as AddressInfo;
    await start(port);
    expect(facade.address).to.equal(undefined);
    await new Promise((resolve) => holder.close(resolve));
    await service.reload(config);
    expect((await ask(RequestCode.GET_BROKER_CONFIG)).code).to.equal(0);
  });
});
