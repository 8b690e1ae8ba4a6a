import { type ApacheVersion, apacheVersions, NameServerProcess, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { GoClient } from './go-client.js';
import { NameServerProbe } from './name-server-probe.js';
import { StorageNodeProcess } from './storage-node-process.js';

const COUNT = 20;
const TIMEOUT_SECONDS = 50;
const finders = ['ours', ...apacheVersions] as const;
const SPECIAL_TOPIC = 'Special';

function topicOf(finder: (typeof finders)[number]): string {
  return `Found-by-${finder.replaceAll('.', '-')}`;
}

const topics = [...finders.map(topicOf), SPECIAL_TOPIC];

describe('the example storage node, registered by the agent beside it,', () => {
  const apache = useApache(...apacheVersions);
  let ours: NameServerProcess;
  let node: StorageNodeProcess;
  let goClient: GoClient | undefined;
  const namesrvAddrs = new Map<string, string>();

  before(async function () {
    this.timeout(600_000);
    const missing = GoClient.missing();
    if (missing === undefined) goClient = await GoClient.build();
    else process.stdout.write(`    without the Go client: ${missing}\n`);
    ours = await NameServerProcess.start();
    namesrvAddrs.set('ours', ours.address);
    for (const version of apacheVersions) {
      const { port } = await apache.startNameServer(version);
      namesrvAddrs.set(version, `127.0.0.1:${port}`);
    }
    node = await StorageNodeProcess.start(topics);
    await node.register([...namesrvAddrs.values()]);
  });

  after(async () => {
    await node?.[Symbol.asyncDispose]();
    await ours?.[Symbol.asyncDispose]();
    await goClient?.[Symbol.asyncDispose]();
  });

  /** Arguments of both clients' programs. */
  function exchange(finder: string, topic: string, name: string, names: readonly string[]): string[] {
    return [namesrvAddrs.get(finder) ?? '', topic, name, String(COUNT), names.join(','), String(TIMEOUT_SECONDS)];
  }

  for (const finder of finders) {
    const whose = finder === 'ours' ? 'our name server' : `a name server of ${finder}`;
    it(`found through ${whose} hands messages of three Java clients and Go's to each of them once`, async () => {
      const names = [...apacheVersions.map(clientName), ...(goClient === undefined ? [] : ['go'])];
      const topic = topicOf(finder);
      const outputs = await Promise.all([
        ...apacheVersions.map((version) =>
          apache.java(version, 'Exchange.java', ...exchange(finder, topic, clientName(version), names)),
        ),
        ...(goClient === undefined ? [] : [goClient.run(...exchange(finder, topic, 'go', names))]),
      ]);
      for (const output of outputs) expect(output).to.contain('received all once');
    });
  }

  it('hands a message again whose listener failed, and serves consumers in order', async () => {
    const [failing, orderly] = await Promise.all([
      apache.java('4.9.7', 'Exchange.java', ...exchange('ours', SPECIAL_TOPIC, 'failing', ['failing']), 'fail-once'),
      apache.java('5.3.3', 'Exchange.java', ...exchange('ours', SPECIAL_TOPIC, 'orderly', ['orderly']), 'orderly'),
    ]);
    expect(failing).to.match(/failed for (failing|orderly)#\d+/);
    expect(failing).to.contain('received all once');
    expect(orderly).to.contain('received all once');
  });

  it('serves clients with binary headers, and those that use the VIP channel', async () => {
    const roundtrip = (version: ApacheVersion, option: string) =>
      apache.java(version, option, 'Roundtrip.java', ours.address, SPECIAL_TOPIC, '20', String(TIMEOUT_SECONDS));
    const outputs = await Promise.all([
      roundtrip('4.7.1', '-Drocketmq.serialize.type=ROCKETMQ'),
      roundtrip('5.3.3', '-Drocketmq.serialize.type=ROCKETMQ'),
      roundtrip('4.9.7', '-Dcom.rocketmq.sendMessageWithVIPChannel=true'),
    ]);
    for (const output of outputs) expect(output).to.contain('received all 20');
  });

  for (const version of apacheVersions) {
    it(`has one clean line in the clusterList of ${version}`, async () => {
      const output = await apache.mqadmin(version, ours.address, 'clusterList');
      const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^(#|apache: )/.test(line));
      expect(lines.length, output).to.equal(1);
      const fields = lines[0]?.split(/\s+/) ?? [];
      expect(fields.slice(0, 5), output).to.deep.equal([
        'DefaultCluster',
        'storage-node',
        '0',
        node.brokerAddr,
        'V5_3_3',
      ]);
      expect(output).not.to.match(/null|Exception/);
    });
  }

  for (const version of apacheVersions)
    it(`has all its topics in the topicRoute of ${version}, at its own name server and at ours`, async () => {
      for (const topic of topics) {
        const routes = await Promise.all(
          [version, 'ours'].map((finder) =>
            apache.mqadmin(version, namesrvAddrs.get(finder) ?? '', 'topicRoute', '-t', topic),
          ),
        );
        for (const route of routes) {
          expect(route, topic).to.contain(node.brokerAddr);
          expect(route.replace(/\s/g, ''), topic).to.contain('"readQueueNums":4');
        }
      }
    });

  it('is gone from all name servers once the agent ends by SIGTERM', async () => {
    expect(await node.stopAgent()).to.equal(0);
    for (const [finder, address] of namesrvAddrs) {
      await using probe = await NameServerProbe.connect(Number(address.split(':')[1]));
      // 5.3.3 answers before it removes.
      await probe.waitForBrokers([], 2_000);
      for (const topic of topics) expect(await probe.routeAddrs(topic), `${topic} at ${finder}`).to.deep.equal([]);
    }
  });

  it('ends by itself when it is told to', async () => {
    expect(await node.stop()).to.equal(0);
  });
});

function clientName(version: ApacheVersion): string {
  return `java-${version.replaceAll('.', '-')}`;
}
