import { MqVersion, RequestCode } from '@rmqns/protocol';
import { RemotingCommand, SerializeType } from '@rmqns/remoting';
import { expect } from 'chai';
import { broker, EMPTY, nameServerFixture } from './name-server-fixture.js';

describe('a name server, asked by clients and operators', () => {
  const { start, connect, ask, register, text, clusterInfo, route } = nameServerFixture();

  it('shows a registered broker to clients and forgets it when it unregisters', async () => {
    const server = await start();
    const [broker1, client] = [connect(), connect()];
    expect(await register(broker1, server)).to.deep.include({
      code: 0,
      version: 479,
      remark: undefined,
      body: undefined,
    });
    expect(text(await route(client, server))).to.equal(
      '{"brokerDatas":[{"brokerAddrs":{"0":"10.0.0.1:10911"},"brokerName":"broker-a","cluster":"C1","enableActingMaster":false}],"filterServerTable":{},"queueDatas":[{"brokerName":"broker-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
    );
    expect(await clusterInfo(client, server)).to.equal(
      '{"brokerAddrTable":{"broker-a":{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"broker-a","cluster":"C1","enableActingMaster":false}},"clusterAddrTable":{"C1":["broker-a"]}}',
    );
    expect(text(await ask(client, server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER))).to.equal(
      '{"topicList":["T1","T2"]}',
    );
    expect((await ask(broker1, server, RequestCode.UNREGISTER_BROKER, broker)).code).to.equal(0);
    expect(await route(client, server)).to.deep.include({
      code: 17,
      remark:
        'No topic route info in name server for the topic: T1\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.',
    });
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
  });

  it('gives clients before 4.9.4 unquoted broker ids, unless they ask for standard JSON', async () => {
    const server = await start();
    await register(connect(), server);
    expect(text(await route(connect(MqVersion.V4_9_4 - 1), server))).to.contain('{0:"10.0.0.1:10911"}');
    expect(text(await route(connect(MqVersion.V4_9_4), server))).to.contain('{"0":"10.0.0.1:10911"}');
    const response = await ask(connect(317), server, RequestCode.GET_ROUTEINFO_BY_TOPIC, {
      topic: 'T1',
      acceptStandardJsonOnly: 'true',
    });
    expect(text(response)).to.contain('{"0":"10.0.0.1:10911"}');
  });

  it('as 4.7.1 always sends unquoted ids and topicSynFlag, and carries its version', async () => {
    const server = await start({ profile: '4.7.1' });
    await register(connect(), server);
    const response = await route(connect(), server);
    expect(response.version).to.equal(355);
    expect(text(response)).to.equal(
      '{"brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"broker-a","cluster":"C1"}],"filterServerTable":{},"queueDatas":[{"brokerName":"broker-a","perm":6,"readQueueNums":4,"topicSynFlag":0,"writeQueueNums":4}]}',
    );
    expect((await route(connect(), server, 'none')).remark).to.contain('See http://rocketmq.apache.org/docs/faq/ for');
  });

  it('answers binary headers in kind as 4.9.7, in JSON as the others', async () => {
    for (const [profile, expected] of [
      ['4.7.1', SerializeType.JSON],
      ['4.9.7', SerializeType.ROCKETMQ],
      ['5.3.3', SerializeType.JSON],
    ] as const) {
      const server = await start({ profile });
      const response = await connect().invokeSync(
        server.address,
        RemotingCommand.request(RequestCode.GET_BROKER_CLUSTER_INFO, { serializeType: SerializeType.ROCKETMQ }),
      );
      expect([profile, response.serializeType, text(response)]).to.deep.equal([profile, expected, EMPTY]);
    }
  });

  it('answers in the format it is set to, but for 4.9.7, which follows the request', async () => {
    for (const [profile, expected] of [
      ['4.7.1', SerializeType.ROCKETMQ],
      ['4.9.7', SerializeType.JSON],
      ['5.3.3', SerializeType.ROCKETMQ],
    ] as const) {
      const server = await start({ profile, serializeType: 'ROCKETMQ' });
      const response = await ask(connect(), server, RequestCode.GET_BROKER_CLUSTER_INFO);
      expect([profile, response.serializeType, text(response)]).to.deep.equal([profile, expected, EMPTY]);
    }
  });

  it('tells a slave its master, and nothing to a master or to a slave without a living one', async () => {
    const server = await start();
    const slave = { brokerId: '1', brokerAddr: '10.0.0.2:10911', haServerAddr: '10.0.0.2:10912' };
    const [master, other] = [connect(), connect()];
    expect({ ...(await register(other, server, slave)).extFields }).to.deep.equal({});
    expect({ ...(await register(master, server)).extFields }).to.deep.equal({});
    expect({ ...(await register(other, server, slave)).extFields }).to.deep.equal({
      masterAddr: '10.0.0.1:10911',
      haServerAddr: '10.0.0.1:10912',
    });
  });

  it('answers code 3 to codes that it does not serve, in every profile, and nothing to oneway ones', async () => {
    const server = await start({ profile: '4.7.1' });
    const client = connect();
    for (const code of [9999, -5, 905]) {
      expect(await ask(client, server, code)).to.deep.include({
        code: 3,
        remark: ` request type ${code} not supported`,
      });
    }
    await client.invokeOneway(server.address, RemotingCommand.request(9999));
    expect((await route(client, server, 'none')).remark).to.contain('topic: none');
  });

  it('answers version queries, which are heartbeats', async () => {
    const server = await start();
    const client = connect();
    const query = (version: object): Promise<RemotingCommand> =>
      ask(client, server, RequestCode.QUERY_DATA_VERSION, broker, Buffer.from(JSON.stringify(version)));
    const unknown = await query({ counter: 1, timestamp: 1_000 });
    expect([unknown.extFields?.['changed'], unknown.body]).to.deep.equal(['true', undefined]);
    await register(client, server);
    const same = await query({ counter: 1, timestamp: 1_000 });
    expect([same.extFields?.['changed'], text(same)]).to.deep.equal([
      'false',
      '{"counter":1,"stateVersion":0,"timestamp":1000}',
    ]);
    expect((await query({ counter: 2, timestamp: 1_000 })).extFields?.['changed']).to.equal('true');
  });

  it('takes a broker from producers and gives it back, counting its topics each time', async () => {
    const server = await start();
    const client = connect();
    const perm = async (): Promise<string> => /"perm":\d+/.exec(text(await route(client, server)))?.[0] ?? '';
    const wipe = (brokerName: string): Promise<RemotingCommand> =>
      ask(client, server, RequestCode.WIPE_WRITE_PERM_OF_BROKER, { brokerName });
    await register(client, server);
    for (let twice = 0; twice < 2; twice++) {
      expect({ ...(await wipe('broker-a')).extFields }).to.deep.equal({ wipeTopicCount: '2' });
      expect(await perm()).to.equal('"perm":4');
    }
    expect({ ...(await wipe('no-such-broker')).extFields }).to.deep.equal({ wipeTopicCount: '0' });
    const added = await ask(client, server, RequestCode.ADD_WRITE_PERM_OF_BROKER, { brokerName: 'broker-a' });
    expect({ ...added.extFields }).to.deep.equal({ addTopicCount: '2' });
    expect(await perm()).to.equal('"perm":6');
  });

  it('deletes a topic, everywhere or in one cluster', async () => {
    const server = await start();
    const client = connect();
    await register(client, server);
    const remove = (topic: string, clusterName: string): Promise<RemotingCommand> =>
      ask(client, server, RequestCode.DELETE_TOPIC_IN_NAMESRV, { topic, clusterName });
    expect((await remove('T1', 'no-such-cluster')).code).to.equal(0);
    expect((await route(client, server)).code).to.equal(0);
    expect((await remove('T1', 'C1')).code).to.equal(0);
    expect((await route(client, server)).code).to.equal(17);
    expect((await ask(client, server, RequestCode.DELETE_TOPIC_IN_NAMESRV)).code).to.equal(0);
    expect((await route(client, server, 'T2')).code).to.equal(0);
  });

  it('deletes a topic everywhere as 4.7.1, whatever cluster is named', async () => {
    const server = await start({ profile: '4.7.1' });
    const client = connect();
    await register(client, server);
    await ask(client, server, RequestCode.DELETE_TOPIC_IN_NAMESRV, { topic: 'T1', clusterName: 'no-such-cluster' });
    expect((await route(client, server)).code).to.equal(17);
  });

  it('adds the queues of a topic on groups that it knows, and answers success whatever it knows', async () => {
    const server = await start();
    const client = connect();
    await register(client, server);
    const queues = (brokerName: string, perm: number): object => ({
      brokerName,
      perm,
      readQueueNums: 2,
      writeQueueNums: 2,
    });
    const add = (topic: string, ...queueDatas: object[]): Promise<RemotingCommand> =>
      ask(
        client,
        server,
        RequestCode.REGISTER_TOPIC_IN_NAMESRV,
        { topic },
        Buffer.from(JSON.stringify({ queueDatas })),
      );
    const shown = async (topic: string): Promise<string | number> => {
      const { code, body } = await route(client, server, topic);
      return code === 0 ? (/"queueDatas":.*/.exec(Buffer.from(body ?? []).toString())?.[0] ?? '') : code;
    };
    expect((await add('T3', queues('broker-a', 4))).code).to.equal(0);
    expect(await shown('T3')).to.equal(
      '"queueDatas":[{"brokerName":"broker-a","perm":4,"readQueueNums":2,"topicSysFlag":0,"writeQueueNums":2}]}',
    );
    expect((await add('T4', queues('broker-a', 6), queues('nobody', 6))).code).to.equal(0);
    expect(await shown('T4')).to.equal(17);
    expect((await add('T3', queues('broker-a', 6), queues('nobody', 6), queues('broker-a', 2))).code).to.equal(0);
    expect(await shown('T3')).to.contain('"perm":6');
    expect((await add('T5')).code).to.equal(0);
    expect((await ask(client, server, RequestCode.REGISTER_TOPIC_IN_NAMESRV, { topic: 'T5' })).code).to.equal(0);
    const broken = await ask(client, server, RequestCode.REGISTER_TOPIC_IN_NAMESRV, { topic: 'T5' }, Buffer.from('{"'));
    expect([broken.code, await shown('T5')]).to.deep.equal([1, 17]);
    const nameless = Buffer.from(JSON.stringify({ queueDatas: [queues('broker-a', 6)] }));
    const code = RequestCode.REGISTER_TOPIC_IN_NAMESRV;
    expect((await ask(client, server, code, {}, nameless)).code).to.equal(0);
    expect((await ask(client, server, code, {}, Buffer.from('{"'))).code).to.equal(1);
  });

  it('lists topics by cluster and by unit, and the names of clusters and brokers', async () => {
    const server = await start();
    const client = connect();
    await register(client, server);
    const list = async (code: number, extFields = {}): Promise<string> =>
      text(await ask(client, server, code, extFields));
    expect(await list(RequestCode.GET_TOPICS_BY_CLUSTER, { cluster: 'C1' })).to.equal('{"topicList":["T1","T2"]}');
    expect(await list(RequestCode.GET_TOPICS_BY_CLUSTER)).to.equal('{"topicList":[]}');
    expect(await list(RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS)).to.equal(
      '{"brokerAddr":"10.0.0.1:10911","topicList":["C1","broker-a"]}',
    );
    for (const code of [
      RequestCode.GET_UNIT_TOPIC_LIST,
      RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST,
      RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST,
    ]) {
      expect(await list(code)).to.equal('{"topicList":[]}');
    }
  });

  it('answers lists that are switched off with "disable"', async () => {
    const server = await start({ enableTopicList: false, enableAllTopicList: false });
    const client = connect();
    for (const code of [
      RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
      RequestCode.GET_TOPICS_BY_CLUSTER,
      RequestCode.GET_UNIT_TOPIC_LIST,
    ]) {
      expect(await ask(client, server, code, { cluster: 'C1' })).to.deep.include({ code: 1, remark: 'disable' });
    }
    expect((await ask(client, server, RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS)).code).to.equal(0);
  });

  it('shows the members of a broker group, and takes heartbeats without making entries of them', async () => {
    const server = await start();
    const client = connect();
    const members = async (): Promise<string> =>
      text(await ask(client, server, RequestCode.GET_BROKER_MEMBER_GROUP, broker));
    expect((await ask(client, server, RequestCode.BROKER_HEARTBEAT, broker)).code).to.equal(0);
    expect(await members()).to.equal('{"brokerMemberGroup":{"brokerAddrs":{},"brokerName":"broker-a","cluster":"C1"}}');
    await register(client, server);
    expect(await members()).to.equal(
      '{"brokerMemberGroup":{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"broker-a","cluster":"C1"}}',
    );
    expect(await ask(client, server, RequestCode.BROKER_HEARTBEAT)).to.deep.include({
      code: 1,
      remark: 'the custom field <clusterName> is null',
    });
  });

  it('turns off the list of all topics alone', async () => {
    const server = await start({ enableAllTopicList: false });
    const client = connect();
    await register(client, server);
    expect(await ask(client, server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER)).to.deep.include({
      code: 1,
      remark: 'disable',
    });
    expect(text(await ask(client, server, RequestCode.GET_TOPICS_BY_CLUSTER, { cluster: 'C1' }))).to.equal(
      '{"topicList":["T1","T2"]}',
    );
  });
});
