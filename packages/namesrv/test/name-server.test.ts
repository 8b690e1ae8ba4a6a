import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { bodyCrc32, encodeRegisterBrokerBody, MqVersion, type RegisterBrokerBody, RequestCode } from '@rmqns/protocol';
import { type ExtFields, type Logger, RemotingClient, RemotingCommand, SerializeType } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { createNameServer, type NameServer, type NameServerEnvironment } from '../src/name-server.js';
import type { NamesrvEvent } from '../src/namesrv-event.js';
import type { NamesrvOptions } from '../src/namesrv-options.js';

const V4_9_4 = 401;
const topics = (...names: string[]): RegisterBrokerBody => ({
  topicConfigSerializeWrapper: {
    dataVersion: { timestamp: 1_000, counter: 1, stateVersion: 0 },
    topicConfigTable: new Map(
      names.map((topicName) => [
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
});
const broker = {
  brokerName: 'broker-a',
  brokerAddr: '10.0.0.1:10911',
  clusterName: 'C1',
  haServerAddr: '10.0.0.1:10912',
  brokerId: '0',
};

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string | undefined;
}

function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message?: string) =>
    void lines.push({ level, fields, message });
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** Lets everything run that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a name server', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(
    options: NamesrvOptions = {},
    clock?: ManualClock,
    environment: NameServerEnvironment = {},
  ): Promise<NameServer> {
    const server = createNameServer(
      { bindAddress: '127.0.0.1', listenPort: 0, ...options },
      clock === undefined ? environment : { ...environment, clock },
    );
    await server.start();
    cleanUps.push(() => server.close());
    return server;
  }

  function connect(version = 479): RemotingClient {
    const client = new RemotingClient({ version });
    cleanUps.push(() => client.destroy());
    return client;
  }

  const ask = (
    client: RemotingClient,
    server: NameServer,
    code: number,
    extFields: Record<string, string> = {},
    body?: Uint8Array,
  ): Promise<RemotingCommand> =>
    client.invokeSync(server.address, RemotingCommand.request(code, { extFields: extFields as ExtFields, body }));

  function register(
    client: RemotingClient,
    server: NameServer,
    fields: Record<string, string> = {},
    body = topics('T1', 'T2'),
  ): Promise<RemotingCommand> {
    const bytes = encodeRegisterBrokerBody(body, { compressed: false, fiveX: true });
    return ask(
      client,
      server,
      RequestCode.REGISTER_BROKER,
      { ...broker, compressed: 'false', bodyCrc32: String(bodyCrc32(bytes)), ...fields },
      bytes,
    );
  }

  const text = (response: RemotingCommand): string => Buffer.from(response.body ?? []).toString();
  const clusterInfo = async (client: RemotingClient, server: NameServer): Promise<string> =>
    text(await ask(client, server, RequestCode.GET_BROKER_CLUSTER_INFO));
  const route = (client: RemotingClient, server: NameServer, topic = 'T1'): Promise<RemotingCommand> =>
    ask(client, server, RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic });
  const EMPTY = '{"brokerAddrTable":{},"clusterAddrTable":{}}';

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
    expect(text(await route(connect(V4_9_4 - 1), server))).to.contain('{0:"10.0.0.1:10911"}');
    expect(text(await route(connect(V4_9_4), server))).to.contain('{"0":"10.0.0.1:10911"}');
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

  it('drops a broker at once when its connection closes', async () => {
    const server = await start();
    const [gone, client] = [connect(), connect()];
    await register(gone, server);
    const dropped = new Promise<void>((resolve) =>
      server.on('change', (event) => event.type === 'broker-name.removed' && resolve()),
    );
    await gone.destroy();
    await dropped;
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
    expect((await route(client, server)).code).to.equal(17);
  });

  it('drops a silent broker at the first scan after its timeout, and closes its connection', async () => {
    const clock = new ManualClock();
    const server = await start(
      { defaultHeartbeatTimeoutMillis: 20_000, serverChannelMaxIdleTimeSeconds: 3_600 },
      clock,
    );
    const events: NamesrvEvent['type'][] = [];
    const [silent, client] = [connect(), connect()];
    await register(silent, server);
    const closed = new Promise<void>((resolve) => silent.on('close', () => resolve()));
    server.on('change', (event) => events.push(event.type));
    for (let i = 0; i < 4; i++) clock.advance(5_000);
    expect((await route(client, server)).code).to.equal(0);
    clock.advance(5_000);
    expect(events).to.deep.equal([
      'broker.expired',
      'broker-name.removed',
      'cluster.removed',
      'topic.removed',
      'topic.removed',
    ]);
    expect((await route(client, server)).code).to.equal(17);
    await closed;
  });

  it('leaves a connection open that carries another broker which is heard', async () => {
    const clock = new ManualClock();
    const server = await start({ defaultHeartbeatTimeoutMillis: 7_000, serverChannelMaxIdleTimeSeconds: 0 }, clock);
    const [both, client] = [connect(), connect()];
    const heard = { ...broker, brokerName: 'broker-b', brokerAddr: '10.0.0.2:10911' };
    await register(both, server);
    await register(both, server, heard);
    let closed = 0;
    both.on('close', () => (closed += 1));
    clock.advance(5_000);
    await ask(both, server, RequestCode.BROKER_HEARTBEAT, heard);
    clock.advance(5_000);
    expect(
      Object.keys(JSON.parse((await clusterInfo(client, server)).replace('{0:', '{"0":')).brokerAddrTable),
    ).to.deep.equal(['broker-b']);
    expect((await ask(both, server, RequestCode.BROKER_HEARTBEAT, heard)).code).to.equal(0);
    expect(closed).to.equal(0);
  });

  for (const [profile, options, scans] of [
    ['4.7.1', {}, [5_000, 15_000, 25_000]],
    ['5.3.3', {}, [5_000, 10_000, 15_000]],
    ['4.7.1', { scanNotActiveBrokerInterval: 700 }, [700, 1_400, 2_100]],
    ['5.3.3', { scanNotActiveBrokerInterval: 8_000 }, [5_000, 13_000, 21_000]],
  ] as const) {
    it(`as ${profile} with ${JSON.stringify(options)} scans for silent brokers at ${scans.join(', ')} ms`, async () => {
      const clock = new ManualClock();
      const server = await start(
        { profile, defaultHeartbeatTimeoutMillis: 1, serverChannelMaxIdleTimeSeconds: 0, ...options },
        clock,
      );
      const scanned: number[] = [];
      server.on('change', ({ type }) => type === 'broker.expired' && scanned.push(clock.monotonic()));
      for (const scan of scans) {
        await register(connect(), server);
        clock.advance(scan - clock.monotonic() - 1);
        expect(scanned).to.not.include(scan);
        clock.advance(1);
      }
      expect(scanned).to.deep.equal(scans);
    });
  }

  it('closes a connection that sends a longer frame than maxFrameBytes', async () => {
    const server = await start({ maxFrameBytes: 2_000 });
    const put = (length: number): Promise<RemotingCommand> =>
      ask(connect(), server, RequestCode.PUT_KV_CONFIG, { namespace: 'N', key: 'K', value: 'v'.repeat(length) });
    expect((await put(1_000)).code).to.equal(0);
    const error = await put(2_000).then(
      () => expect.fail('it was answered'),
      (caught: Error) => caught,
    );
    expect(error).to.deep.include({ code: 'CONNECTION_CLOSED' });
  });

  it('closes a connection that is silent for serverChannelMaxIdleTimeSeconds', async () => {
    const clock = new ManualClock();
    const server = await start({ serverChannelMaxIdleTimeSeconds: 7 }, clock);
    const silent = connect();
    await clusterInfo(silent, server);
    const closed = new Promise<void>((resolve) => silent.on('close', () => resolve()));
    // A write is noticed a quarter of the time later at most.
    clock.advance(7_000 * 1.25);
    await closed;
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

  const required = ['brokerName', 'brokerAddr', 'clusterName', 'brokerId'];
  const good = encodeRegisterBrokerBody(topics('T1', 'T2'), { compressed: false, fiveX: true });
  const bomb = deflateSync(Buffer.alloc(128 * 1024 * 1024));
  const refused: [string, Record<string, string>, Uint8Array | undefined, RegExp][] = [
    ['with a wrong CRC', { bodyCrc32: '1' }, good, /^crc32 not match$/],
    ['with a CRC and no body', { bodyCrc32: '1' }, undefined, /^crc32 not match$/],
    ['whose body is no JSON', {}, Buffer.from('nonsense'), /^the JSON text is wrong at character 0/],
    ['whose body is null', {}, Buffer.from('null'), /^the registration is null$/],
    ['whose compressed body is not deflated', { compressed: 'true' }, good, /^the compressed body is no zlib stream/],
    [
      'whose compressed body is cut short',
      { compressed: 'true' },
      deflateSync(good).subarray(0, 20),
      /^the compressed body is cut short: it /,
    ],
    [
      'whose compressed body announces 2 GiB of data version',
      { compressed: 'true' },
      deflateSync(Buffer.from('7fffffff', 'hex')),
      /^the compressed body is cut short: the data version/,
    ],
    ['whose compressed body inflates to 128 MiB', { compressed: 'true' }, bomb, /inflates to more than 13046600 bytes/],
    ['with a broker id that is no number', { brokerId: 'zero' }, good, /brokerId/],
    ...required.map((field): [string, Record<string, string>, Uint8Array, RegExp] => [
      `without ${field}`,
      { [field]: '\0' },
      good,
      new RegExp(`^the custom field <${field}> is null$`),
    ]),
    ...required
      .slice(0, 3)
      .flatMap((field): [string, Record<string, string>, Uint8Array, RegExp][] => [
        [`with an empty ${field}`, { [field]: '' }, good, new RegExp(`^the custom field <${field}> is empty$`)],
      ]),
  ];
  for (const [what, fields, body, remark] of refused) {
    for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
      it(`as ${profile} refuses a registration ${what}: code 1, the cause named, no trace`, async () => {
        const server = await start({ profile });
        const client = connect();
        const extFields = Object.fromEntries(
          Object.entries({ ...broker, ...fields }).filter(([, value]) => value !== '\0'),
        );
        const response = await ask(client, server, RequestCode.REGISTER_BROKER, extFields, body);
        expect(response.code).to.equal(1);
        expect(response.remark).to.match(remark).and.not.contain('    at ');
        expect(await clusterInfo(client, server)).to.equal(EMPTY);
        expect(text(await ask(client, server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER))).to.equal(
          '{"topicList":[]}',
        );
      });
    }
  }

  for (const [profile, code] of [
    ['4.7.1', 0],
    ['4.9.7', 0],
    ['5.3.3', 1],
  ] as const) {
    it(`as ${profile} answers ${code} to a compressed body in the layout of 4.x from a version of 5.x`, async () => {
      const server = await start({ profile });
      const body = encodeRegisterBrokerBody(topics('T1', 'T2'), { compressed: true, fiveX: false });
      const client = connect(MqVersion.V5_3_3);
      const fields = { ...broker, compressed: 'true' };
      const response = await ask(client, server, RequestCode.REGISTER_BROKER, fields, body);
      expect(response.code).to.equal(code);
      expect(response.remark ?? '').to.match(code === 0 ? /^$/ : /it ends before the number of queue mappings/);
    });
  }

  it('refuses a registration of a negative version, as Apache does, without a trace', async () => {
    const server = await start();
    expect(await register(connect(-1), server)).to.deep.include({
      code: 1,
      remark: 'the version -1 of the request is none',
    });
    expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
  });

  it('logs a wrong CRC with the address that it came from', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({}, undefined, { logger });
    await register(connect(), server, { bodyCrc32: '1' });
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings).to.have.length(1);
    expect(warnings[0]?.message).to.match(/^receive registerBroker request,crc32 not match,from 127\.0\.0\.1:\d+$/);
    expect(warnings[0]?.fields).to.include({ broker: 'broker-a', addr: '10.0.0.1:10911' });
  });

  for (const profile of ['4.7.1', '4.9.7'] as const) {
    it(`as ${profile} skips whatever a registration says of static topics`, async () => {
      const server = await start({ profile });
      const body = good.toString().replace('"topicQueueMappingInfoMap":{}', '"topicQueueMappingInfoMap":{"T1":null}');
      expect(body).to.contain('null');
      const response = await ask(connect(), server, RequestCode.REGISTER_BROKER, broker, Buffer.from(body));
      expect(response.code).to.equal(0);
    });
  }

  for (const field of ['clusterName', 'brokerAddr'] as const) {
    it(`refuses an empty ${field} in every request that names a broker`, async () => {
      const server = await start();
      const client = connect();
      for (const code of [
        RequestCode.UNREGISTER_BROKER,
        RequestCode.QUERY_DATA_VERSION,
        RequestCode.BROKER_HEARTBEAT,
      ]) {
        expect(await ask(client, server, code, { ...broker, [field]: '' })).to.deep.include({
          code: 1,
          remark: `the custom field <${field}> is empty`,
        });
      }
    });
  }

  it('answers a version query without a body with code 1 as 4.x, and as 5.3.3 that everything has changed', async () => {
    for (const [profile, expected] of [
      ['4.7.1', [1, undefined, 'the request has no body; it should be a data version']],
      ['4.9.7', [1, undefined, 'the request has no body; it should be a data version']],
      ['5.3.3', [0, 'true', undefined]],
    ] as const) {
      const server = await start({ profile });
      const client = connect();
      await register(client, server);
      const { code, extFields, remark } = await ask(client, server, RequestCode.QUERY_DATA_VERSION, broker);
      expect([code, extFields?.['changed'], remark], profile).to.deep.equal(expected);
    }
  });

  it('a listener that throws changes no answer and stops no scan; its error is logged', async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const server = await start({ defaultHeartbeatTimeoutMillis: 1_000 }, clock, { logger });
    server.on('change', () => {
      throw new Error('listener');
    });
    const client = connect();
    expect((await register(client, server)).code).to.equal(0);
    const failed = () => lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(failed()).to.deep.equal([
      'a listener of the event cluster.added failed',
      'a listener of the event broker.registered failed',
      'a listener of the event topic.added failed',
      'a listener of the event topic.added failed',
    ]);
    clock.advance(5_000);
    expect(failed()).to.include('a listener of the event broker.expired failed');
    expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
  });

  it('answers code 3 to codes that it does not serve, in every profile, and nothing to oneway ones', async () => {
    const server = await start({ profile: '4.7.1' });
    const client = connect();
    for (const code of [9999, -5, 905, RequestCode.UPDATE_NAMESRV_CONFIG]) {
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

  describe('start and close', () => {
    let directory = '';
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'rmqns-start-'));
      cleanUps.push(() => rm(directory, { recursive: true }));
    });
    const outcome = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => 'done',
        (error: { code: string }) => error.code,
      );

    for (const [what, path] of [
      ['while it reads the KV configuration', () => join(directory, 'kvConfig.json')],
      ['while it begins to listen', () => undefined],
    ] as const) {
      it(`a close ${what} ends the start with CLOSED and leaves nothing that listens and no timer`, async () => {
        const clock = new ManualClock();
        const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, kvConfigPath: path() }, { clock });
        const started = outcome(server.start());
        await server.close();
        expect(await started).to.equal('CLOSED');
        expect(clock.pendingTimers).to.equal(0);
        if (server.address !== '') {
          expect(await outcome(ask(connect(), server, RequestCode.GET_BROKER_CLUSTER_INFO))).to.equal('CONNECT_FAILED');
        }
      });
    }

    it('a closed server does not start, and says that it was closed', async () => {
      const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
      await server.close();
      const error = await server.start().then(
        () => expect.fail('it started'),
        (caught: Error) => caught,
      );
      expect(error).to.deep.include({ code: 'CLOSED', name: 'NamesrvError' });
      expect(error.message).to.equal('the name server was closed and does not start; make another one');
    });

    it('a server starts once', async () => {
      const server = await start();
      expect(await outcome(server.start())).to.equal('STARTED_ALREADY');
      expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
    });
  });

  describe('KV configuration', () => {
    let directory = '';
    let path = '';
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'rmqns-kv-'));
      path = join(directory, 'namesrv', 'kvConfig.json');
      cleanUps.push(() => rm(directory, { recursive: true }));
    });
    const entry = { namespace: 'ORDER_TOPIC_CONFIG', key: 'T1', value: 'broker-a:4' };

    it('is on disk when it is answered, in Apache’s format, for its owner alone, and there after a restart', async () => {
      const server = await start({ kvConfigPath: path });
      const client = connect();
      expect((await ask(client, server, RequestCode.PUT_KV_CONFIG, entry)).code).to.equal(0);
      expect(await readFile(path, 'utf8')).to.equal('{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"broker-a:4"}}}');
      expect(((await stat(path)).mode & 0o777).toString(8)).to.equal('600');
      await server.close();
      const again = await start({ kvConfigPath: path });
      const response = await ask(client, again, RequestCode.GET_KV_CONFIG, entry);
      expect([response.code, { ...response.extFields }]).to.deep.equal([0, { value: 'broker-a:4' }]);
    });

    it('tells brokers the order topics: no body without the namespace, an empty table when it is empty', async () => {
      const server = await start();
      const client = connect();
      expect((await register(client, server)).body).to.equal(undefined);
      await ask(client, server, RequestCode.PUT_KV_CONFIG, entry);
      expect(text(await register(client, server))).to.equal('{"table":{"T1":"broker-a:4"}}');
      await ask(client, server, RequestCode.DELETE_KV_CONFIG, entry);
      expect(text(await register(client, server))).to.equal('{"table":{}}');
    });

    it('shows in routes when order messages are enabled, at once after a change', async () => {
      const server = await start({ orderMessageEnable: true });
      const client = connect();
      await register(client, server);
      expect(text(await route(client, server))).to.not.contain('orderTopicConf');
      await ask(client, server, RequestCode.PUT_KV_CONFIG, entry);
      expect(text(await route(client, server))).to.contain('"orderTopicConf":"broker-a:4"');
      await ask(client, server, RequestCode.PUT_KV_CONFIG, { ...entry, value: 'broker-a:8' });
      expect(text(await route(client, server))).to.contain('"orderTopicConf":"broker-a:8"');
      await ask(client, server, RequestCode.DELETE_KV_CONFIG, entry);
      expect(text(await route(client, server))).to.not.contain('orderTopicConf');
    });

    it('answers what is missing as Apache does', async () => {
      const server = await start();
      const client = connect();
      expect(await ask(client, server, RequestCode.GET_KV_CONFIG, { namespace: 'N', key: 'K' })).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: N Key: K',
      });
      expect(await ask(client, server, RequestCode.GET_KV_CONFIG)).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: null Key: null',
      });
      expect(await ask(client, server, RequestCode.GET_KVLIST_BY_NAMESPACE, { namespace: 'N' })).to.deep.include({
        code: 22,
        remark: 'No config item, Namespace: N',
      });
      expect(await ask(client, server, RequestCode.PUT_KV_CONFIG, { namespace: 'N', value: 'V' })).to.deep.include({
        code: 1,
        remark: 'namespace or key is null',
      });
      expect((await ask(client, server, RequestCode.DELETE_KV_CONFIG, { namespace: 'N', key: 'K' })).code).to.equal(0);
    });

    it('is on disk when the server has closed, also when that took longer than requests may take', async () => {
      if (process.platform === 'win32') return;
      const clock = new ManualClock();
      const server = await start({ kvConfigPath: path, serverChannelMaxIdleTimeSeconds: 0 }, clock);
      const client = connect();
      // A pipe in the place of the file holds the write up until somebody writes into it.
      await mkdir(join(directory, 'namesrv'), { recursive: true });
      await promisify(execFile)('mkfifo', [path]);
      const put = ask(client, server, RequestCode.PUT_KV_CONFIG, entry).catch((error: Error) => error);
      await ask(client, server, RequestCode.GET_KV_CONFIG, entry);
      const order: string[] = [];
      const closed = server.close().then(() => order.push('closed'));
      await turns();
      clock.advance(3_000);
      await put;
      await turns();
      order.push('let go');
      await writeFile(path, 'former');
      await closed;
      expect(order).to.deep.equal(['let go', 'closed']);
      expect(await readFile(path, 'utf8')).to.equal('{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"broker-a:4"}}}');
    });

    it('says so when it cannot be written', async () => {
      await writeFile(join(directory, 'namesrv'), 'a file where the directory should be');
      const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, kvConfigPath: path });
      const outcome = await server.start().then(
        async () => {
          cleanUps.push(() => server.close());
          return (await ask(connect(), server, RequestCode.PUT_KV_CONFIG, entry)).remark ?? '';
        },
        (error: Error) => error.message,
      );
      expect(outcome).to.contain(path);
    });

    it('that is torn keeps the server from starting, in one sentence', async () => {
      await start({ kvConfigPath: path }).then(async (server) => {
        await ask(connect(), server, RequestCode.PUT_KV_CONFIG, entry);
        await server.close();
      });
      await writeFile(path, '{"configTable":{"ORDER');
      const error = await start({ kvConfigPath: path }).then(
        () => expect.fail('it started'),
        (caught: Error) => caught,
      );
      expect(error).to.deep.include({ code: 'KV_CONFIG_UNREADABLE' });
      expect(error.message).to.contain(path);
    });
  });
});
