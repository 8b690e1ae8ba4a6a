import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { ResponseCode } from '@rmqns/protocol';
import { CommandError, DecodeError, RemotingClient, RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { RegisterBrokerRequest } from '../src/register-broker-request.js';
import { identity, topicConfig, topicTable } from './broker-fixture.js';
import { ScriptedNameServer } from './scripted-name-server.js';

describe('NameServerClient', () => {
  const client = new NameServerClient();
  let server: NameServer;
  let address: string;
  before(async () => {
    server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await server.start();
    address = server.address;
  });
  after(async () => {
    await client.close();
    await server.close();
  });

  const register = (...topics: string[]) =>
    client.registerBroker(
      address,
      new RegisterBrokerRequest({ identity, topicConfigSerializeWrapper: topicTable(1, ...topics) }),
    );

  it('registers a broker, finds its topics, cluster and version, and unregisters it', async () => {
    expect(await register('T1', 'T2')).to.deep.equal({
      masterAddr: undefined,
      haServerAddr: undefined,
      kvTable: undefined,
    });
    const route = await client.getRouteInfoByTopic(address, 'T1');
    expect(route?.brokerDatas[0]?.brokerAddrs.get(0)).to.equal('10.0.0.1:10911');
    expect(route?.queueDatas).to.deep.equal([
      { brokerName: 'broker-a', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 },
    ]);
    const cluster = await client.getBrokerClusterInfo(address);
    expect([...(cluster.clusterAddrTable.get('C1') ?? [])]).to.deep.equal(['broker-a']);
    expect([...(await client.getAllTopicListFromNameserver(address)).topicList].sort()).to.include.members([
      'T1',
      'T2',
    ]);
    const { dataVersion } = topicTable(1);
    expect(await client.queryDataVersion(address, identity, dataVersion)).to.deep.equal({
      changed: false,
      dataVersion,
    });
    expect((await client.queryDataVersion(address, identity, { ...dataVersion, counter: 2 })).changed).to.equal(true);
    await client.unregisterBroker(address, identity);
    expect(await client.getRouteInfoByTopic(address, 'T1')).to.equal(undefined);
    expect(await client.queryDataVersion(address, identity, dataVersion)).to.deep.equal({
      changed: true,
      dataVersion: undefined,
    });
  });

  it('writes, reads and removes KV entries; what is not there is undefined', async () => {
    await client.putKvConfig(address, 'ORDER_TOPIC_CONFIG', 'T1', 'broker-a:4');
    expect(await client.getKvConfig(address, 'ORDER_TOPIC_CONFIG', 'T1')).to.equal('broker-a:4');
    expect(await client.getKvListByNamespace(address, 'ORDER_TOPIC_CONFIG')).to.deep.equal(
      new Map([['T1', 'broker-a:4']]),
    );
    expect((await register('T1', 'T2')).kvTable).to.deep.equal(new Map([['T1', 'broker-a:4']]));
    await client.deleteKvConfig(address, 'ORDER_TOPIC_CONFIG', 'T1');
    expect(await client.getKvConfig(address, 'ORDER_TOPIC_CONFIG', 'T1')).to.equal(undefined);
    expect(await client.getKvListByNamespace(address, 'none')).to.equal(undefined);
  });

  it('registers a broker without topics (R35)', async () => {
    await register();
    expect((await client.getBrokerClusterInfo(address)).brokerAddrTable.get('broker-a')?.brokerAddrs.get(0)).to.equal(
      '10.0.0.1:10911',
    );
  });

  it('throws an answer that says no, with its code and remark', async () => {
    const scripted = await ScriptedNameServer.start();
    scripted.answer = () => RemotingCommand.response(ResponseCode.SYSTEM_BUSY, 'later');
    try {
      await client.getRouteInfoByTopic(scripted.address, 'T1');
      expect.fail('no error');
    } catch (error) {
      expect(error).to.be.instanceOf(CommandError);
      expect(error).to.include({ responseCode: ResponseCode.SYSTEM_BUSY, remark: 'later', address: scripted.address });
    } finally {
      await scripted.destroy();
    }
  });

  it('sends every other request with its header and body, and reads its answer', async () => {
    const scripted = await ScriptedNameServer.start();
    const at = scripted.address;
    const answerWith = (extFields: Record<string, string>, body?: string): void => {
      scripted.answer = () =>
        RemotingCommand.response(0, undefined, { extFields, body: body === undefined ? body : Buffer.from(body) });
    };
    answerWith({}, '{"topicList":["T1"],"brokerAddr":"10.0.0.1:10911"}');
    const list = { topicList: ['T1'], brokerAddr: '10.0.0.1:10911' };
    expect(await client.getTopicsByCluster(at, 'C1')).to.deep.equal(list);
    expect(await client.getSystemTopicListFromNs(at)).to.deep.equal(list);
    expect(await client.getUnitTopicList(at)).to.deep.equal(list);
    expect(await client.getHasUnitSubTopicList(at)).to.deep.equal(list);
    expect(await client.getHasUnitSubUnunitTopicList(at)).to.deep.equal(list);
    answerWith({}, '{"brokerMemberGroup":{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"b","cluster":"C1"}}');
    expect((await client.getBrokerMemberGroup(at, 'C1', 'b')).brokerAddrs.get(0)).to.equal('10.0.0.1:10911');
    answerWith({}, 'listenPort=9876\n');
    expect(await client.getNamesrvConfig(at)).to.equal('listenPort=9876\n');
    answerWith({ wipeTopicCount: '3', addTopicCount: '4' });
    expect(await client.wipeWritePermOfBroker(at, 'broker-a')).to.equal(3);
    expect(await client.addWritePermOfBroker(at, 'broker-a')).to.equal(4);
    await client.deleteTopicInNamesrv(at, 'T1', 'C1');
    await client.updateNamesrvConfig(at, 'clusterTest=true');
    const queue = { brokerName: 'broker-a', readQueueNums: 4, writeQueueNums: 4, perm: 4, topicSysFlag: 0 };
    await client.registerTopicInNamesrv(at, 'T1', [queue]);
    await client.brokerHeartbeat(at, identity);
    await scripted.nth(904, 1);
    expect(
      scripted.requests.map(({ code, extFields, body, isOneway }) => [
        code,
        { ...extFields },
        body === undefined ? '' : Buffer.from(body).toString(),
        isOneway,
      ]),
    ).to.deep.equal([
      [224, { cluster: 'C1' }, '', false],
      [304, {}, '', false],
      [311, {}, '', false],
      [312, {}, '', false],
      [313, {}, '', false],
      [901, { clusterName: 'C1', brokerName: 'b' }, '', false],
      [319, {}, '', false],
      [205, { brokerName: 'broker-a' }, '', false],
      [327, { brokerName: 'broker-a' }, '', false],
      [216, { topic: 'T1', clusterName: 'C1' }, '', false],
      [318, {}, 'clusterTest=true', false],
      [
        217,
        { topic: 'T1' },
        '{"brokerDatas":[],"filterServerTable":{},"queueDatas":[{"brokerName":"broker-a","perm":4,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
        false,
      ],
      [904, { clusterName: 'C1', brokerAddr: '10.0.0.1:10911', brokerName: 'broker-a' }, '', true],
    ]);
    await scripted.destroy();
  });

  it('says which answer lacks the body that it must have', async () => {
    const scripted = await ScriptedNameServer.start();
    try {
      await client.getBrokerClusterInfo(scripted.address);
      expect.fail('no error');
    } catch (error) {
      expect(error).to.be.instanceOf(DecodeError).and.include({
        message:
          'the answer to GET_BROKER_CLUSTER_INFO does not decode: the cluster information is missing: there is no body',
        address: scripted.address,
      });
    } finally {
      await scripted.destroy();
    }
  });

  it('leaves a remoting client open that it was given', async () => {
    const remotingClient = new RemotingClient();
    await new NameServerClient({ remotingClient }).close();
    const borrowing = new NameServerClient({ remotingClient });
    expect(await borrowing.getRouteInfoByTopic(address, 'nowhere')).to.equal(undefined);
    await remotingClient.close();
  });

  it('a refused checksum is told, 0 is not checked (R18)', async () => {
    const request = new RegisterBrokerRequest({
      identity,
      topicConfigSerializeWrapper: topicTable(2, topicConfig('T1'), 'T2'),
    });
    const command = request.toCommand();
    const send = (bodyCrc32: string) => {
      command.extFields = { ...command.extFields, bodyCrc32 };
      return client.remotingClient.invokeSync(address, command);
    };
    expect(await send('1')).to.include({ code: 1, remark: 'crc32 not match' });
    expect(await send('0')).to.include({ code: 0 });
  });
});
