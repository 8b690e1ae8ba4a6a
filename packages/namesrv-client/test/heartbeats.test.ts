import { MqVersion, RequestCode } from '@rmqns/protocol';
import { RemotingCommand as Command, type RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { identity } from './broker-fixture.js';
import { RegistrarBench } from './registrar-bench.js';

const { REGISTER_BROKER, QUERY_DATA_VERSION, BROKER_HEARTBEAT } = RequestCode;
const actingMaster = { ...identity, enableActingMaster: true };

describe('the signs of life of a broker', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  it('that may act as master are a oneway 322 each second to every name server that has it (R31)', async () => {
    const servers = await bench.scripted(3);
    const broker = bench.registrar(servers, { profile: '5.x', identity: actingMaster });
    await broker.start();
    for (let second = 1; second <= 3; second++) {
      bench.clock.advance(999);
      await new Promise((resolve) => setImmediate(resolve));
      for (const server of servers) expect(server.withCode(QUERY_DATA_VERSION)).to.have.lengthOf(second - 1);
      bench.clock.advance(1);
      for (const server of servers) {
        const { flag, body, version, extFields } = await server.nth(QUERY_DATA_VERSION, second);
        expect([flag, version]).to.deep.equal([2, MqVersion.V5_3_3]);
        expect(Buffer.from(body ?? []).toString()).to.equal('{"counter":3,"stateVersion":0,"timestamp":1600000000000}');
        expect(extFields).to.include({ brokerName: 'broker-a', brokerAddr: '10.0.0.1:10911', clusterName: 'C1' });
      }
    }
    for (const server of servers) {
      const [registration] = server.withCode(REGISTER_BROKER);
      expect(registration?.extFields).to.include({ enableActingMaster: 'true', heartbeatTimeoutMillis: '10000' });
    }
  });

  it('are 904 where old name servers do not matter', async () => {
    const [server] = await bench.scripted(1);
    const options = { profile: '5.x', identity: actingMaster, compatibleWithOldNameSrv: false } as const;
    await bench.registrar([server], options).start();
    bench.clock.advance(1_000);
    const { flag, extFields } = await server.nth(BROKER_HEARTBEAT, 1);
    expect(flag).to.equal(2);
    expect(extFields).to.deep.equal({ clusterName: 'C1', brokerName: 'broker-a', brokerAddr: '10.0.0.1:10911' });
  });

  it('come at a third of a short timeout, and not at all where the rounds are enough', async () => {
    const [server] = await bench.scripted(1);
    await bench.registrar([server], { identity: { ...identity, heartbeatTimeoutMillis: 15_000 } }).start();
    await bench.registrar([server], { identity: { ...identity, heartbeatTimeoutMillis: 90_000 } }).start();
    await bench.registrar([server]).start();
    await bench.clock.advanceAsync(60_000, 500);
    const perTimeout = server.withCode(QUERY_DATA_VERSION).length;
    expect(perTimeout).to.equal(12);
    const timeouts = server.withCode(REGISTER_BROKER).map(({ extFields }) => extFields?.['heartbeatTimeoutMillis']);
    expect(new Set(timeouts)).to.deep.equal(new Set(['15000', '90000', undefined]));
  });

  it('go on while a registration hangs, and stop where the broker is not registered, is suspended or has left', async () => {
    const [server, dead] = await bench.scripted(2);
    const broker = bench.registrar([server, dead as typeof server], { profile: '5.x', identity: actingMaster });
    (dead as typeof server).answer = () => Command.response(1, 'no');
    await broker.start();
    server.answer = ({ code }: RemotingCommand) => (code === REGISTER_BROKER ? undefined : Command.response(0));
    void broker.topicsChanged();
    await server.nth(REGISTER_BROKER, 2);
    await bench.clock.advanceAsync(3_000, 500);
    expect(server.withCode(QUERY_DATA_VERSION)).to.have.lengthOf(3);
    expect(dead?.withCode(QUERY_DATA_VERSION)).to.have.lengthOf(0);
    await broker.suspend({ unregister: false });
    await bench.clock.advanceAsync(3_000, 500);
    expect(server.withCode(QUERY_DATA_VERSION)).to.have.lengthOf(3);
  });

  it('come with the question who has the smallest id of the group; another one is told once, by name servers of each kind', async () => {
    for (const profile of ['4.9.7', '5.3.3'] as const) {
      const server = await bench.nameServer({ profile });
      const master = bench.registrar([server], { identity: { ...identity, brokerAddr: '10.0.0.2:10911' } });
      const slave = bench.registrar([server], { profile: '5.x', identity: { ...actingMaster, brokerId: 1 } });
      const told: unknown[] = [];
      slave.on('minBrokerIdChanged', (min) => told.push([min?.minBrokerId, min?.minBrokerAddr]));
      await master.start();
      await slave.start();
      while (told.length < 1) await bench.clock.advanceAsync(1_000, 50);
      await master.shutdown();
      while (told.length < 2) await bench.clock.advanceAsync(1_000, 50);
      slave.notifyMinBrokerIdChange({ minBrokerId: 1, minBrokerAddr: identity.brokerAddr });
      slave.notifyMinBrokerIdChange({ minBrokerId: 0, minBrokerAddr: '10.0.0.3:10911' });
      expect(told).to.deep.equal([
        [0, '10.0.0.2:10911'],
        [1, identity.brokerAddr],
        [0, '10.0.0.3:10911'],
      ]);
      expect(slave.minBroker?.minBrokerAddr).to.equal('10.0.0.3:10911');
      await slave.shutdown();
    }
  });
});
