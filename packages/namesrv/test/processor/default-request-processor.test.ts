import { ORDER_TOPIC_CONFIG, RequestCode } from '@rmqns/protocol';
import type { Channel, RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createNameServer } from '../../src/name-server.js';
import type { ProfileName } from '../../src/profile.js';
import { registration } from '../routeinfo/registration.js';
import { ProcessorFixture } from './processor-fixture.js';

async function failure(answer: Promise<RemotingCommand>): Promise<unknown> {
  return answer.then(
    ({ code }) => expect.fail(`answered with code ${code}`),
    (error: unknown) => error,
  );
}

describe('DefaultRequestProcessor', () => {
  const lists: [string, number, Record<string, string>?][] = [
    ['cluster info', RequestCode.GET_BROKER_CLUSTER_INFO],
    ['all topics', RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER],
    ['topics by cluster', RequestCode.GET_TOPICS_BY_CLUSTER, { cluster: 'C1' }],
    ['system topics', RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS],
    ['unit topics', RequestCode.GET_UNIT_TOPIC_LIST],
    ['unit sub topics', RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST],
    ['unit sub topics of no unit', RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST],
  ];
  for (const [what, code, fields] of lists) {
    it(`encodes ${what} once until something changes`, async () => {
      const fixture = new ProcessorFixture();
      fixture.manager.registerBroker(registration(), 0);
      const { body } = await fixture.ask(code, fields);
      expect(body).to.be.instanceOf(Buffer);
      expect((await fixture.ask(code, fields)).body).to.equal(body);
      fixture.manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', topics: ['U', 'V'] }), 0);
      expect((await fixture.ask(code, fields)).body).to.not.equal(body);
    });
  }

  it('encodes the cluster info anew for a slave without topics, and not for a topic', async () => {
    const fixture = new ProcessorFixture();
    const body = async () => (await fixture.ask(RequestCode.GET_BROKER_CLUSTER_INFO)).body;
    fixture.manager.registerBroker(registration(), 0);
    const first = await body();
    fixture.manager.deleteTopic('T1');
    expect(await body()).to.equal(first);
    fixture.manager.registerBroker(registration({ id: 1, addr: 's:1', topics: [] }), 0);
    expect(Buffer.from((await body()) ?? []).toString()).to.contain('"brokerAddrs":{0:"10.0.0.1:10911",1:"s:1"}');
  });

  it('encodes a KV namespace once until it changes, also for the answers to brokers', async () => {
    const fixture = new ProcessorFixture();
    fixture.kv.putKvConfig('N', 'k', 'v');
    const body = async () => (await fixture.ask(RequestCode.GET_KVLIST_BY_NAMESPACE, { namespace: 'N' })).body;
    const first = await body();
    expect(await body()).to.equal(first);
    fixture.kv.putKvConfig('N', 'k', 'w');
    expect(Buffer.from((await body()) ?? []).toString()).to.equal('{"table":{"k":"w"}}');
    fixture.kv.deleteKvConfig('N', 'k');
    expect(Buffer.from((await body()) ?? []).toString()).to.equal('{"table":{}}');
  });

  it('keeps the topics of some clusters, and of none that is not known', async () => {
    const fixture = new ProcessorFixture();
    const of = async (cluster: string) => (await fixture.ask(RequestCode.GET_TOPICS_BY_CLUSTER, { cluster })).body;
    for (let index = 0; index < 20; index++) {
      const name = `b${index}`;
      fixture.manager.registerBroker(registration({ name, addr: name, cluster: name, topics: [name, 'T'] }), 0);
    }
    for (let index = 0; index < 20; index++) {
      const { topicList } = JSON.parse(Buffer.from((await of(`b${index}`)) ?? []).toString());
      expect(topicList).to.have.members([`b${index}`, 'T']);
    }
    expect(Buffer.from((await of('none')) ?? []).toString()).to.equal('{"topicList":[]}');
    expect(await of('none')).to.not.equal(await of('none'));
  });

  it('keeps a route with its order configuration', async () => {
    const fixture = new ProcessorFixture();
    fixture.options = { orderMessageEnable: true };
    fixture.kv.putKvConfig(ORDER_TOPIC_CONFIG, 'T1', 'broker-a:4');
    fixture.manager.registerBroker(registration(), 0);
    const { body } = await fixture.ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T1' });
    expect(Buffer.from(body ?? []).toString()).to.contain('"orderTopicConf":"broker-a:4"');
    expect((await fixture.ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T1' })).body).to.equal(body);
    fixture.options = { orderMessageEnable: false };
    const plain = await fixture.ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T1' });
    expect(Buffer.from(plain.body ?? []).toString()).to.not.contain('orderTopicConf');
  });

  it('takes no data version and no queues of a topic in more than 128 KiB, which would be read in one go', async () => {
    const fixture = new ProcessorFixture();
    const rows: [number, Record<string, string>][] = [
      [RequestCode.QUERY_DATA_VERSION, { clusterName: 'C1', brokerAddr: 'a:1', brokerName: 'b', brokerId: '0' }],
      [RequestCode.REGISTER_TOPIC_IN_NAMESRV, { topic: 'T' }],
    ];
    for (const [code, fields] of rows) {
      const bodyOf = (length: number) => ({ body: Buffer.from('{}'.padEnd(length)) });
      expect((await fixture.ask(code, fields, bodyOf(131_072))).code).to.equal(0);
      expect(await failure(fixture.ask(code, fields, bodyOf(131_073)))).to.deep.include({
        responseCode: 1,
        remark: 'the body has 131073 bytes; more than 131072 are not taken',
      });
    }
  });

  it('takes no KV text with half a surrogate pair, which the file could not hold', async () => {
    const fixture = new ProcessorFixture();
    const entry = { namespace: 'N', key: 'K', value: '😀' };
    for (const field of ['namespace', 'key', 'value'] as const) {
      for (const half of ['\ud83d', 'a\ude00b']) {
        const error = await failure(fixture.ask(RequestCode.PUT_KV_CONFIG, { ...entry, [field]: half }));
        expect(error).to.deep.include({
          responseCode: 1,
          remark: `the custom field <${field}> holds half a surrogate pair`,
        });
      }
    }
    expect(fixture.kv.configTable).to.deep.equal(new Map());
    expect((await fixture.ask(RequestCode.PUT_KV_CONFIG, entry)).code).to.equal(0);
    expect(fixture.kv.getKvConfig('N', 'K')).to.equal('😀');
  });

  it('takes no broker whose names hold half a surrogate pair', async () => {
    const broker = { clusterName: 'C1', brokerName: 'broker-a', brokerAddr: 'a:1', brokerId: '0' };
    for (const field of ['clusterName', 'brokerName', 'brokerAddr'] as const) {
      const fixture = new ProcessorFixture();
      for (const code of [RequestCode.REGISTER_BROKER, RequestCode.UNREGISTER_BROKER]) {
        const error = await failure(fixture.ask(code, { ...broker, [field]: 'x\ud800' }));
        expect(error).to.deep.include({
          responseCode: 1,
          remark: `the custom field <${field}> holds half a surrogate pair`,
        });
      }
      expect(fixture.events).to.deep.equal([]);
    }
  });

  describe('a broker that leaves', () => {
    const broker = { clusterName: 'C1', brokerName: 'broker-a', brokerAddr: '10.0.0.1:10911', brokerId: '0' };

    function registered(profile: ProfileName): ProcessorFixture {
      const fixture = new ProcessorFixture(profile);
      fixture.manager.registerBroker(registration(), 0);
      return fixture;
    }

    for (const [profile, isShown] of [
      ['5.3.3', true],
      ['4.9.7', false],
      ['4.7.1', false],
    ] as const) {
      it(`is answered ${isShown ? 'before' : 'when'} it is off the tables, as by ${profile}`, async () => {
        const fixture = registered(profile);
        expect((await fixture.ask(RequestCode.UNREGISTER_BROKER, broker)).code).to.equal(0);
        expect(fixture.manager.getAllTopicList().length > 0).to.equal(isShown);
      });
    }

    for (const [what, remoteAddress] of [
      ['its own', '10.0.0.1:5'],
      ['another', '10.0.0.9:9'],
    ] as const) {
      it(`is shown to nobody who asks behind it on ${what} connection`, async () => {
        const fixture = registered('5.3.3');
        const channel = { isActive: true, remoteAddress } as Channel;
        const left = fixture.ask(RequestCode.UNREGISTER_BROKER, broker);
        const route = fixture.ask(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T1' }, { channel });
        const lists = fixture.ask(RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, {}, { channel });
        expect((await left).code).to.equal(0);
        expect((await route).code).to.equal(17);
        expect(String((await lists).body)).to.equal('{"topicList":[]}');
      });
    }

    it('and comes back at once is there', async () => {
      const fixture = registered('5.3.3');
      const answers = [
        fixture.ask(RequestCode.UNREGISTER_BROKER, broker),
        fixture.ask(RequestCode.REGISTER_BROKER, { ...broker, compressed: 'false' }),
        fixture.ask(RequestCode.GET_BROKER_MEMBER_GROUP, broker),
      ];
      const [left, back, group] = await Promise.all(answers);
      expect([left?.code, back?.code]).to.deep.equal([0, 0]);
      expect(String(group?.body)).to.contain('{0:"10.0.0.1:10911"}');
    });

    it('is answered code 1 without a word where more leave than may wait, and stays', async () => {
      const fixture = new ProcessorFixture('5.3.3', { unRegisterBrokerQueueCapacity: 1 });
      const leaving = ['a', 'b'].map((name) => ({ ...broker, brokerName: name, brokerAddr: `${name}:1` }));
      for (const { brokerName: name, brokerAddr: addr } of leaving) {
        fixture.manager.registerBroker(registration({ name, addr }), 0);
      }
      const answers = await Promise.all(leaving.map((fields) => fixture.ask(RequestCode.UNREGISTER_BROKER, fields)));
      expect(answers.map(({ code, remark }) => ({ code, remark }))).to.deep.equal([
        { code: 0, remark: undefined },
        { code: 1, remark: undefined },
      ]);
      const { body } = await fixture.ask(RequestCode.GET_BROKER_CLUSTER_INFO);
      expect(String(body)).to.contain('"b:1"').and.not.contain('"a:1"');
    });
  });

  it('asks for its options at each request', async () => {
    const fixture = new ProcessorFixture();
    fixture.manager.registerBroker(registration(), 0);
    const codes = async () => [
      (await fixture.ask(RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER)).code,
      (await fixture.ask(RequestCode.GET_TOPICS_BY_CLUSTER, { cluster: 'C1' })).code,
      (await fixture.ask(RequestCode.GET_UNIT_TOPIC_LIST)).code,
    ];
    expect(await codes()).to.deep.equal([0, 0, 0]);
    fixture.options = { enableAllTopicList: false };
    expect(await codes()).to.deep.equal([1, 0, 0]);
    fixture.options = { enableTopicList: false };
    expect(await codes()).to.deep.equal([0, 1, 1]);
  });

  it('shows the options in effect', () => {
    expect(createNameServer({ listenPort: 0 }).options.listenPort).to.equal(0);
  });

  it('puts on record who asked for a change of what, and what became of it', async () => {
    const fixture = new ProcessorFixture();
    await fixture.ask(RequestCode.PUT_KV_CONFIG, { namespace: 'N', key: 'K', value: 'secret' });
    await fixture.ask(RequestCode.PUT_KV_CONFIG, { namespace: 'N' });
    await fixture.ask(RequestCode.WIPE_WRITE_PERM_OF_BROKER, { brokerName: 'x'.repeat(1_000) });
    await fixture.ask(RequestCode.GET_KV_CONFIG, { namespace: 'N', key: 'K' });
    const peer = '10.0.0.1:5';
    expect(fixture.audited).to.deep.equal([
      { peer, code: 'PUT_KV_CONFIG', target: { namespace: 'N', key: 'K' }, result: 0, remark: undefined },
      { peer, code: 'PUT_KV_CONFIG', target: { namespace: 'N' }, result: 1, remark: 'namespace or key is null' },
      {
        peer,
        code: 'WIPE_WRITE_PERM_OF_BROKER',
        target: { brokerName: 'x'.repeat(256) },
        result: 0,
        remark: undefined,
      },
    ]);
  });
});
