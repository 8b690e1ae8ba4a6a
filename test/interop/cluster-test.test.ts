import { bodyCrc32, encodeRegisterBrokerBody, RequestCode, type TopicConfig } from '@rmqns/protocol';
import { RemotingClient, RemotingCommand } from '@rmqns/remoting';
import { freePort, NameServerProcess, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { controlVersion } from './name-server-under-test.js';

describe('a cluster-test name server', () => {
  const apache = useApache('4.9.7', '5.3.3');
  let client: RemotingClient;

  before(function () {
    if (controlVersion !== undefined) this.skip();
    client = new RemotingClient({ version: 407 });
  });

  after(async () => {
    await client?.destroy();
  });

  const topic = (topicName: string): TopicConfig => ({
    topicName,
    readQueueNums: 4,
    writeQueueNums: 4,
    perm: 6,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  });

  async function register(address: string, brokerName: string, topicNames: readonly string[]): Promise<void> {
    const body = encodeRegisterBrokerBody(
      {
        topicConfigSerializeWrapper: {
          dataVersion: { timestamp: 1_000, counter: 1, stateVersion: 0 },
          topicConfigTable: new Map(topicNames.map((name) => [name, topic(name)])),
          topicQueueMappingInfoMap: new Map(),
        },
        filterServerList: [],
      },
      { compressed: false, fiveX: false },
    );
    const extFields = {
      brokerName,
      brokerAddr: `10.0.0.1:${10_000 + brokerName.length}`,
      clusterName: 'C',
      haServerAddr: '10.0.0.1:1',
      brokerId: '0',
      compressed: 'false',
      bodyCrc32: String(bodyCrc32(body)),
    };
    const answer = await client.invokeSync(
      address,
      RemotingCommand.request(RequestCode.REGISTER_BROKER, { extFields, body }),
    );
    expect(answer.code).to.equal(0);
  }

  /** Code and body of the answer to a lookup. */
  async function route(address: string, name: string): Promise<[number, string]> {
    const request = RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, { extFields: { topic: name } });
    const { code, body } = await client.invokeSync(address, request, 10_000);
    return [code, Buffer.from(body ?? []).toString()];
  }

  for (const version of ['4.9.7', '5.3.3'] as const)
    it(`of ours answers as that of ${version}, with an Apache name server of it as product environment`, async () => {
      const product = await apache.startNameServer(version);
      const productAddress = `127.0.0.1:${product.port}`;
      await register(productAddress, 'product', ['P1', 'P2', 'Both']);
      const property = { '-Drocketmq.namesrv.addr': productAddress };
      const theirs = await apache.startNameServer(version, { clusterTest: true, ...property }, await freePort());
      const theirAddress = `127.0.0.1:${theirs.port}`;
      await using ours = await NameServerProcess.start({
        settings: { clusterTest: true, profile: version },
        environment: { NAMESRV_ADDR: productAddress },
      });
      // A 5.3.3 server in this mode answers every code as a lookup, so that no broker can register with it.
      if (version === '4.9.7')
        for (const address of [theirAddress, ours.address]) await register(address, 'test', ['T1', 'Both']);
      for (const name of ['P1', 'P2', ...(version === '4.9.7' ? ['T1', 'Both'] : []), 'Nowhere'])
        expect(await route(ours.address, name), name).to.deep.equal(await route(theirAddress, name));
      expect((await route(ours.address, 'P1'))[1]).to.contain('{0:"10.0.0.1:');
      await product.process.stop('SIGKILL');
      expect((await route(ours.address, 'P1'))[0]).to.equal(17);
    });

  it('of Apache falls back to ours', async () => {
    await using product = await NameServerProcess.start();
    await register(product.address, 'product', ['P1', 'P2']);
    const { port } = await apache.startNameServer('4.9.7', {
      clusterTest: true,
      '-Drocketmq.namesrv.addr': product.address,
    });
    const [code, body] = await route(`127.0.0.1:${port}`, 'P1');
    expect([code, body]).to.deep.equal([
      0,
      (await route(product.address, 'P1'))[1].replaceAll('"0":', '0:').replace(',"enableActingMaster":false', ''),
    ]);
  });
});
