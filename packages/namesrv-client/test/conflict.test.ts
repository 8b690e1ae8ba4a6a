import type { NameServer } from '@rmqns/namesrv';
import { MqVersion, RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import type { BrokerRegistrar } from '../src/broker-registrar.js';
import type { BrokerRegistrarOptions } from '../src/broker-registrar-options.js';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicTable } from './broker-fixture.js';
import { closed, nextReconnect, RegistrarBench } from './registrar-bench.js';

const other = { ...identity, brokerAddr: '10.0.0.2:10911', haServerAddr: '10.0.0.2:10912' };

describe('a broker whose name and id another one has', () => {
  let bench: RegistrarBench;
  let asking: NameServerClient;
  let events: unknown[];
  beforeEach(() => {
    bench = new RegistrarBench();
    asking = new NameServerClient();
    events = [];
    bench.cleanUps.push(() => asking.close());
  });
  afterEach(() => bench.close());

  /** One that stands back, told of in {@link events}. */
  const careful = (servers: readonly NameServer[], options: Partial<BrokerRegistrarOptions> = {}): BrokerRegistrar =>
    bench
      .registrar(servers, { conflictPolicy: 'standBack', ...options })
      .on('conflict', ({ nameServer, holderAddr }) => events.push([nameServer, holderAddr]))
      .on('conflictEnded', (nameServer) => events.push([nameServer]));
  const addrAt = async ({ address }: NameServer): Promise<string | undefined> =>
    (await asking.getBrokerClusterInfo(address)).brokerAddrTable.get('broker-a')?.brokerAddrs.get(0);

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const)
    it(`is not registered with a name server of ${profile} until the other is gone, says so once, and is registered elsewhere`, async () => {
      const [taken, free] = [await bench.nameServer({ profile }), await bench.nameServer({ profile })];
      const holder = bench.registrar([taken], { identity: other });
      await holder.start();
      const broker = careful([taken, free]);
      const round = await broker.start();
      expect(round?.outcomes.map(({ status }) => status)).to.deep.equal(['conflict', 'ok']);
      expect(round?.outcomes[0]?.error?.message).to.match(/has broker-a with id 0 at 10.0.0.2:10911, not at 10.0.0.1/);
      await bench.passing(broker, 10_000);
      expect(await addrAt(taken)).to.equal(other.brokerAddr);
      expect(await addrAt(free)).to.equal(identity.brokerAddr);
      expect(broker.registeredAddressList).to.deep.equal([free.address]);
      expect(broker.conflicts.map(({ nameServer }) => nameServer)).to.deep.equal([taken.address]);
      await holder.shutdown();
      expect((await bench.passing(broker, 30_000)).outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'ok']);
      expect(await addrAt(taken)).to.equal(identity.brokerAddr);
      expect(await asking.getRouteInfoByTopic(taken.address, 'T1')).to.be.an('object');
      expect(events).to.deep.equal([[taken.address, other.brokerAddr], [taken.address]]);
      expect(broker.conflicts).to.deep.equal([]);
    });

  it('leaves the other where it is when it is shut down, suspended or told of other name servers', async () => {
    const [taken, free] = [await bench.nameServer({ profile: '4.7.1' }), await bench.nameServer({ profile: '4.7.1' })];
    await bench.registrar([taken], { identity: other }).start();
    for (const leave of [
      (broker: BrokerRegistrar) => broker.shutdown(),
      (broker: BrokerRegistrar) => broker.suspend(),
      async (broker: BrokerRegistrar) => broker.updateNameServerAddressList([free.address]),
    ]) {
      const broker = careful([taken]);
      await broker.start();
      await leave(broker);
      await broker.shutdown();
      expect(await addrAt(taken)).to.equal(other.brokerAddr);
    }
  });

  it('takes over when it is told to, and stands back again when the other does not leave it at that', async () => {
    const server = await bench.nameServer();
    const holder = bench.registrar([server], { identity: other });
    await holder.start();
    const broker = careful([server]);
    await broker.start();
    expect((await broker.takeOver())?.outcomes[0]?.status).to.equal('ok');
    expect(await addrAt(server)).to.equal(identity.brokerAddr);
    expect((await broker.topicsChanged())?.outcomes[0]?.status).to.equal('ok');
    await holder.topicsChanged();
    expect((await broker.topicsChanged())?.outcomes[0]?.status).to.equal('conflict');
    const { address } = server;
    expect(events).to.deep.equal([[address, other.brokerAddr], [address], [address, other.brokerAddr]]);
  });

  it('of two that stand back lets one stay, though they came at the same time', async () => {
    const server = await bench.nameServer();
    const two = [careful([server]), careful([server], { identity: other })] as const;
    await Promise.all(two.map((broker) => broker.start()));
    for (let round = 0; round < 3; round++) await Promise.all(two.map((broker) => broker.topicsChanged()));
    const registered = two.filter((broker) => broker.registeredAddressList.length === 1);
    expect(registered).to.have.lengthOf(1);
    expect(await addrAt(server)).to.equal(registered[0]?.identity.brokerAddr);
  });

  it('comes back also when it only asks each period whether anything changed', async () => {
    const server = await bench.nameServer();
    const holder = bench.registrar([server], { identity: other });
    const broker = careful([server], { forceRegister: false });
    await broker.start();
    await holder.start();
    expect((await bench.passing(broker, 10_000)).needed).to.equal(false);
    expect(events).to.deep.equal([[server.address, other.brokerAddr]]);
    await holder.shutdown();
    expect((await bench.passing(broker, 30_000)).outcomes.map(({ status }) => status)).to.deep.equal(['ok']);
    expect((await bench.passing(broker, 30_000)).needed).to.equal(false);
    expect(await addrAt(server)).to.equal(identity.brokerAddr);
  });

  it('asks each name server in its own way, and registers though it gets no answer in half of the time', async () => {
    const [server] = await bench.scripted(1);
    const frozen = new Promise<void>(() => {});
    server.answer = async ({ code }) => {
      if (code !== RequestCode.REGISTER_BROKER) await frozen;
      return RemotingCommand.response(0);
    };
    const broker = bench.registrar([server], { conflictPolicy: 'standBack' });
    const started = broker.start();
    await server.nth(RequestCode.GET_BROKER_CLUSTER_INFO, 1);
    bench.clock.advance(3_000);
    expect((await started)?.outcomes[0]?.status).to.equal('ok');
    expect(server.names).to.deep.equal(['GET_BROKER_CLUSTER_INFO', 'REGISTER_BROKER']);
  });

  it('asks one of 5.x for all brokers once, and for its own group whenever it comes back, until that is refused', async () => {
    const [server] = await bench.scripted(1);
    let knows901 = true;
    server.answer = ({ code }) => {
      if (code === RequestCode.REGISTER_BROKER) return RemotingCommand.response(0);
      if (code === RequestCode.GET_BROKER_MEMBER_GROUP && !knows901) return RemotingCommand.response(3);
      const body = Buffer.from('{"brokerAddrTable":{},"clusterAddrTable":{},"brokerMemberGroup":{"brokerAddrs":{}}}');
      const response = RemotingCommand.response(0, undefined, { body });
      response.version = MqVersion.V5_0_0;
      return response;
    };
    const client = bench.ownClient();
    const broker = bench.registrar([server], { client, conflictPolicy: 'standBack' });
    await broker.start();
    await broker.topicsChanged();
    const lost = closed(client);
    server.dropConnections();
    await lost;
    await bench.passingUntil(100, nextReconnect(broker));
    expect(server.names).to.deep.equal([
      'GET_BROKER_CLUSTER_INFO',
      'REGISTER_BROKER',
      'GET_BROKER_MEMBER_GROUP',
      'REGISTER_BROKER',
      'GET_BROKER_MEMBER_GROUP',
      'REGISTER_BROKER',
    ]);
    knows901 = false;
    await broker.topicsChanged();
    await broker.topicsChanged();
    expect(server.withCode(RequestCode.GET_BROKER_CLUSTER_INFO)).to.have.length(2);
  });
});

describe('a broker that becomes another one', () => {
  let bench: RegistrarBench;
  let asking: NameServerClient;
  beforeEach(() => {
    bench = new RegistrarBench();
    asking = new NameServerClient();
    bench.cleanUps.push(() => asking.close());
  });
  afterEach(() => bench.close());

  const membersAt = async ({ address }: NameServer): Promise<Record<string, [unknown, string][]>> => {
    const { brokerAddrTable } = await asking.getBrokerClusterInfo(address);
    return Object.fromEntries([...brokerAddrTable].map(([name, { brokerAddrs }]) => [name, [...brokerAddrs].sort()]));
  };

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const)
    it(`is the master of its group at a name server of ${profile} as soon as it is told so, though the old one is still listed`, async () => {
      const server = await bench.nameServer({ profile });
      await bench.registrar([server], { identity: other }).start();
      const slave = bench.registrar([server], { identity: { ...identity, brokerId: 1 }, conflictPolicy: 'standBack' });
      bench.table = topicTable(5, 'T1', 'T2');
      await slave.start();
      expect(slave.masterAddresses.masterAddr).to.equal(other.brokerAddr);
      const round = await slave.updateIdentity(identity);
      expect(round?.outcomes.map(({ status }) => status)).to.deep.equal(['ok']);
      expect(await membersAt(server)).to.deep.equal({ 'broker-a': [[0, identity.brokerAddr]] });
      await slave.updateIdentity({ ...identity, brokerId: 2 });
      expect(await membersAt(server)).to.deep.equal({ 'broker-a': [[2, identity.brokerAddr]] });
    });

  it('leaves with its old name or address before it comes with the new one', async () => {
    const server = await bench.nameServer();
    const broker = bench.registrar([server]);
    await broker.start();
    await broker.updateIdentity({ ...identity, brokerName: 'broker-b' });
    expect(await membersAt(server)).to.deep.equal({ 'broker-b': [[0, identity.brokerAddr]] });
    await broker.updateIdentity(other);
    expect(await membersAt(server)).to.deep.equal({ 'broker-a': [[0, other.brokerAddr]] });
    await broker.shutdown();
    expect(await membersAt(server)).to.deep.equal({});
  });

  it('is only noted where nothing is registered yet', async () => {
    const server = await bench.nameServer();
    const broker = bench.registrar([server]);
    expect(await broker.updateIdentity(other)).to.equal(undefined);
    await broker.start();
    expect(await membersAt(server)).to.deep.equal({ 'broker-a': [[0, other.brokerAddr]] });
  });
});
