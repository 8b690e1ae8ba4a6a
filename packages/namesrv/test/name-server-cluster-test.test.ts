import { RequestCode, type TopicRouteData } from '@rmqns/protocol';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { createNameServer } from '../src/name-server.js';
import { nameServerFixture, recordingLogger } from './name-server-fixture.js';

const found: TopicRouteData = {
  queueDatas: [{ brokerName: 'p', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 }],
  brokerDatas: [
    { cluster: 'P', brokerName: 'p', brokerAddrs: new Map([[0, '10.9.9.9:10911']]), enableActingMaster: false },
  ],
  filterServerTable: new Map(),
};

describe('a cluster-test name server', () => {
  const { start, connect, ask, register, route, text } = nameServerFixture();

  function product(answer: (topic: string) => Promise<TopicRouteData | undefined>) {
    const asked: string[] = [];
    return {
      asked,
      isClosed: false,
      getRouteInfoByTopic: (topic: string) => {
        asked.push(topic);
        return answer(topic);
      },
      async close() {
        this.isClosed = true;
      },
    };
  }

  it('knows its own routes, always with their order and in the legacy flavour, and asks the product environment for others', async () => {
    const productEnvironment = product(async (topic) => (topic === 'P' ? found : undefined));
    const server = await start({ clusterTest: true }, undefined, { productEnvironment });
    const client = connect();
    await register(client, server);
    await ask(client, server, RequestCode.PUT_KV_CONFIG, {
      namespace: 'ORDER_TOPIC_CONFIG',
      key: 'T1',
      value: 'broker-a:4',
    });
    expect(text(await route(client, server))).to.equal(
      '{"brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"broker-a","cluster":"C1","enableActingMaster":false}],"filterServerTable":{},"orderTopicConf":"broker-a:4","queueDatas":[{"brokerName":"broker-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
    );
    expect(productEnvironment.asked).to.deep.equal([]);
    expect(text(await route(client, server, 'P'))).to.equal(
      '{"brokerDatas":[{"brokerAddrs":{0:"10.9.9.9:10911"},"brokerName":"p","cluster":"P","enableActingMaster":false}],"filterServerTable":{},"queueDatas":[{"brokerName":"p","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
    );
    expect((await route(client, server, 'nowhere')).code).to.equal(17);
    expect((await ask(client, server, RequestCode.GET_ROUTEINFO_BY_TOPIC)).code).to.equal(17);
    expect(productEnvironment.asked).to.deep.equal(['P', 'nowhere']);
    await server.close();
    expect(productEnvironment.isClosed).to.equal(true);
  });

  it('answers every other code as ever', async () => {
    const productEnvironment = product(async () => found);
    const server = await start({ clusterTest: true }, undefined, { productEnvironment });
    expect(text(await ask(connect(), server, RequestCode.GET_BROKER_CLUSTER_INFO))).to.contain('brokerAddrTable');
    expect(productEnvironment.asked).to.deep.equal([]);
  });

  it('asks once for all who wait for one topic, and refuses when too many topics are asked for', async () => {
    const answers: ((route: TopicRouteData) => void)[] = [];
    const productEnvironment = product(() => new Promise((resolve) => answers.push(resolve)));
    const server = await start({ clusterTest: true }, undefined, { productEnvironment });
    const [client, other] = [connect(), connect()];
    const same = Array.from({ length: 20 }, async () => (await route(client, server, 'P')).code);
    while (productEnvironment.asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const topics = Array.from({ length: 1_000 }, async (_, i) => (await route(other, server, `T${i}`)).code);
    expect(await Promise.race(topics)).to.equal(2);
    expect(productEnvironment.asked).to.have.length(1_000);
    for (const answer of answers) answer(found);
    expect(new Set(await Promise.all(same))).to.deep.equal(new Set([0]));
    expect((await Promise.all(topics)).filter((code) => code === 0)).to.have.length(999);
  });

  it('says that nobody answers there, not for each topic, and answers 17', async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const productEnvironment = product(() => Promise.reject(new Error('nobody is there')));
    const server = await start({ clusterTest: true, productEnvName: 'center2' }, clock, {
      productEnvironment,
      logger,
    });
    const client = connect();
    for (const topic of ['A', 'B', 'C']) expect((await route(client, server, topic)).code).to.equal(17);
    clock.advance(10_000);
    await route(client, server, 'D');
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).to.deep.equal([
      'get route info by topic from product environment failed. envName=center2, topic=A: nobody is there',
      'get route info by topic from product environment failed. envName=center2, topic=D: nobody is there (and 2 more since the last such line)',
    ]);
  });

  it('is not made without an environment to ask', () => {
    expect(() => createNameServer({ clusterTest: true })).to.throw('clusterTest: needs a productEnvironment to ask');
  });
});
