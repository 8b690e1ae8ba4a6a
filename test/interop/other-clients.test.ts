import {
  type ApacheBroker,
  type ApacheVersion,
  apacheVersions,
  eventually,
  hasBareNames,
  requireInterop,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import {
  aliOnsClient,
  type ClientProgram,
  ClientRunner,
  missingClient,
  nodeGrpcClient,
  pythonClient,
} from './client-programs.js';
import { ExchangeLog } from './exchange-log.js';
import { GoClient } from './go-client.js';
import { NameServerProbe } from './name-server-probe.js';
import { controlVersion, type NameServerUnderTest, startNameServerUnderTest } from './name-server-under-test.js';
import { Relay } from './remoting/relay.js';

const COUNT = 20;
const TIMEOUT_SECONDS = '60';
/** Clients of remoting share one; the gRPC client has its own, as it cannot read what they compress. */
const TOPIC = 'Shared';
const GRPC_TOPIC = 'ThroughTheProxy';
const NEW_TOPIC = 'CreatedBySending';

/** A client of remoting, as it presents itself to a name server. */
interface RemotingKind {
  readonly name: string;
  readonly language: string;
  readonly version: number;
  /** Ext fields of every request, sorted. */
  readonly fields: readonly string[];
  /** Whether it gets routes that are standard JSON, from 4.9.4 on (reference: name server, 105). */
  readonly standardJson: boolean;
  missing(): string | undefined;
  run(...args: readonly string[]): Promise<string>;
}

const CLIENT_VERSIONS = { '4.7.1': 355, '4.9.7': 407, '5.3.3': 479 };
const signedFields = ['AccessKey', 'OnsChannel', 'Signature', 'topic'];

describe('clients of other makers, Java clients and the proxy', () => {
  const relays: Relay[] = [];
  const logs = new Map<string, ExchangeLog>();
  /** Whose messages are in the topic. */
  const senders: string[] = [];
  const apache = useApache(...apacheVersions, '5.3.3-proxy');
  let runner: ClientRunner;
  let goClient: GoClient | undefined;
  let server: NameServerUnderTest;
  let probe: NameServerProbe;
  let broker: ApacheBroker;

  before(async function () {
    this.timeout(600_000);
    runner = await ClientRunner.create();
    if (GoClient.missing() === undefined) goClient = await GoClient.build();
    server = await startNameServerUnderTest(apache);
    probe = await NameServerProbe.connect(server.port);
    broker = await apache.startBroker('5.3.3', server.address);
    await probe.waitForBrokers([broker.brokerAddr], 30_000);
    for (const topic of [TOPIC, GRPC_TOPIC]) {
      await apache.mqadmin('5.3.3', server.address, 'updateTopic', '-b', broker.brokerAddr, '-t', topic);
      await waitForRoute(topic);
    }
  });

  after(async () => {
    for (const relay of relays) await relay[Symbol.asyncDispose]();
    await probe?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await goClient?.[Symbol.asyncDispose]();
    await runner?.[Symbol.asyncDispose]();
  });

  // The Java client of 5.3.3 comes first, so that each reads messages of a Java client; those of 4.x come last and read all.
  const python = program(pythonClient, {
    name: 'python',
    language: 'CPP',
    version: 63,
    fields: signedFields,
    standardJson: false,
  });
  const kinds: readonly RemotingKind[] = [
    java('5.3.3'),
    {
      name: 'go',
      language: 'GO',
      version: 317,
      fields: ['topic'],
      standardJson: false,
      missing: () => GoClient.missing(),
      run: (...args) => goClient?.run(...args) ?? Promise.reject(new Error('no Go client')),
    },
    program(aliOnsClient, {
      name: 'ali-ons',
      language: 'JAVA',
      version: 121,
      fields: signedFields,
      standardJson: false,
    }),
    python,
    java('4.9.7'),
    java('4.7.1'),
  ];

  function java(version: ApacheVersion): RemotingKind {
    return {
      name: `java-${version.replaceAll('.', '-')}`,
      language: 'JAVA',
      version: CLIENT_VERSIONS[version],
      fields: ['topic'],
      standardJson: version !== '4.7.1',
      missing: () => undefined,
      run: (...args) => apache.java(version, 'Exchange.java', ...args),
    };
  }

  function program(client: ClientProgram, kind: Omit<RemotingKind, 'missing' | 'run'>): RemotingKind {
    return { ...kind, missing: () => missingClient(client), run: (...args) => runner.run(client, ...args) };
  }

  /** The name server's address for one client; what is asked there goes to its log. */
  async function loggedAddress(name: string): Promise<string> {
    const log = new ExchangeLog();
    const relay = await Relay.start(server.address, { onData: log.add });
    relays.push(relay);
    logs.set(name, log);
    return relay.address;
  }

  async function waitForRoute(topic: string): Promise<void> {
    await eventually(async () => (await probe.routeAddrs(topic)).length > 0 || undefined, {
      what: `a route of ${topic}`,
      timeoutMillis: 20_000,
    });
  }

  for (const { name, language, version, fields, standardJson, missing, run } of kinds) {
    it(`${name} sends, and receives its messages and those of the clients before it once`, async function () {
      requireInterop(this, missing());
      const names = [...senders, name].join(',');
      const output = await run(await loggedAddress(name), TOPIC, name, String(COUNT), names, TIMEOUT_SECONDS);
      expect(output).to.contain('received all once');
      senders.push(name);
    });

    it(`${name} asks for routes only, as ${language} ${version}, and gets them in its dialect`, function () {
      requireInterop(this, missing());
      const exchanges = logs.get(name)?.exchanges ?? [];
      expect(exchanges.length).to.be.above(0);
      for (const { request, response } of exchanges) {
        const { header } = request;
        expect({
          code: header.code,
          language: header.language,
          version: header.version,
          fields: Object.keys(header.extFields ?? {}).sort(),
        }).to.deep.equal({ code: 105, language, version, fields });
        if (response?.header.code !== 0) continue;
        const bare = !standardJson || controlVersion === '4.7.1';
        expect(hasBareNames(response.body.toString('utf8'))).to.equal(bare);
      }
    });
  }

  it('python creates a topic by sending to it, by the route of TBW102', async function () {
    requireInterop(this, python.missing());
    const output = await python.run(
      await loggedAddress('creating'),
      NEW_TOPIC,
      'creating',
      String(COUNT),
      'creating',
      TIMEOUT_SECONDS,
    );
    expect(output).to.contain('received all once');
    const topics = logs
      .get('creating')
      ?.exchanges.map(({ request, response }) => [request.header.extFields?.['topic'], response?.header.code]);
    expect(topics?.slice(0, 2)).to.deep.equal([
      [NEW_TOPIC, 17],
      ['TBW102', 0],
    ]);
    await waitForRoute(NEW_TOPIC);
  });

  it('a gRPC client sends and receives through the proxy of 5.3.3, which asks for routes only', async function () {
    requireInterop(this, missingClient(nodeGrpcClient));
    const { grpcAddress } = await apache.startProxy(await loggedAddress('proxy'));
    const output = await runner.run(
      nodeGrpcClient,
      grpcAddress,
      GRPC_TOPIC,
      'grpc',
      String(COUNT),
      'grpc',
      TIMEOUT_SECONDS,
    );
    expect(output).to.contain('received all once');
    const exchanges = logs.get('proxy')?.exchanges ?? [];
    const asked = exchanges.map(({ request: { header } }) => `${header.code} ${header.language} ${header.version}`);
    expect([...new Set(asked)]).to.deep.equal(['105 JAVA 479']);
    const route = exchanges.find(({ request }) => request.header.extFields?.['topic'] === GRPC_TOPIC);
    expect(route?.response?.header.code).to.equal(0);
    expect(hasBareNames(route?.response?.body.toString('utf8') ?? '')).to.equal(controlVersion === '4.7.1');
  });
});
