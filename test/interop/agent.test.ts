import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NameServerClient } from '@rmqns/namesrv-client';
import {
  apacheVersions,
  CapturedProcess,
  decodeWireFrame,
  eventually,
  type Fault,
  FaultProxy,
  freePort,
  NameServerProcess,
  repositoryRoot,
  splitFrames,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';

/** The shortest that there is, and a little for a busy machine. */
const PERIOD_MILLIS = 10_000 + 2_000;
const BROKER_ADDR = '127.0.0.1:10911';

interface Target {
  readonly name: string;
  readonly port: number;
}

/** An agent with static topics for `broker-a` at {@link BROKER_ADDR}. */
async function startAgent(
  directory: string,
  ports: readonly number[],
  topics: readonly string[],
  identity: Readonly<Record<string, string | number>> = {},
) {
  const file = join(directory, 'agent.yaml');
  const config = {
    namesrv: { addresses: ports.map((port) => `127.0.0.1:${port}`) },
    identity: { brokerName: 'broker-a', address: '127.0.0.1', ...identity },
    register: { interval: '10s' },
    topics: { sources: [{ static: topics.map((topic) => ({ topic, read: 4, write: 4 })) }] },
    state: { dir: join(directory, 'state') },
  };
  await writeFile(file, JSON.stringify(config));
  return new CapturedProcess({
    name: 'rmq-agent',
    command: join(repositoryRoot, 'scripts/rmq-agent'),
    args: ['-c', file],
    cwd: directory,
  });
}

describe('rmq-agent', () => {
  const apache = useApache(...apacheVersions);
  let ours: NameServerProcess;
  let targets: Target[];
  let dead: number;

  before(async () => {
    ours = await NameServerProcess.start();
    const started = await Promise.all(apacheVersions.map((version) => apache.startNameServer(version)));
    targets = [
      ...started.map(({ version, port }) => ({ name: `Apache ${version}`, port })),
      { name: 'ours', port: ours.port },
    ];
    dead = await freePort();
  });

  after(async () => {
    await ours?.[Symbol.asyncDispose]();
  });

  const routesAt = async (port: number, topic: string): Promise<string[]> => {
    await using probe = await NameServerProbe.connect(port);
    return await probe.routeAddrs(topic);
  };
  const brokersAt = async (port: number): Promise<string[]> => {
    await using probe = await NameServerProbe.connect(port);
    return await probe.brokerAddrs();
  };

  for (const topics of [[], ['AgentOnly'], ['AgentA', 'AgentB', 'AgentC']])
    it(`registers ${topics.length} topics with Apache's three versions and ours at once while a fifth is down, and leaves them all on SIGTERM`, async () => {
      await using directory = await TemporaryDirectory.create();
      const ports = [dead, ...targets.map(({ port }) => port)];
      await using agent = await startAgent(directory.path, ports, topics);
      await agent.waitForOutput(/registered with 4 of 5 name servers/, 15_000);
      for (const { name, port } of targets) {
        expect(await brokersAt(port), name).to.deep.equal([BROKER_ADDR]);
        for (const topic of topics)
          expect(await routesAt(port, topic), `${topic} at ${name}`).to.deep.equal([BROKER_ADDR]);
      }

      const exit = await agent.stop('SIGTERM', 5_000);
      expect(exit, agent.tail()).to.deep.equal({ code: 0, signal: null });
      for (const { name, port } of targets) {
        await using probe = await NameServerProbe.connect(port);
        // 5.3.3 answers before it removes.
        await probe.waitForBrokers([], 2_000);
        for (const topic of topics) expect(await probe.routeAddrs(topic), `${topic} at ${name}`).to.deep.equal([]);
      }
    });

  it('is known by its zone to 5.3.3 and ours, and to older ones without', async () => {
    await using directory = await TemporaryDirectory.create();
    const ports = targets.map(({ port }) => port);
    await using agent = await startAgent(directory.path, ports, ['AgentA', 'AgentB'], { zone: 'az-1' });
    await agent.waitForOutput(/registered with 4 of 4 name servers/, 15_000);
    await using client = new NameServerClient();
    for (const { name, port } of targets) {
      const { brokerAddrTable } = await client.getBrokerClusterInfo(`127.0.0.1:${port}`);
      const zone = /5\.3\.3|ours/.test(name) ? 'az-1' : undefined;
      expect(brokerAddrTable.get('broker-a'), name).to.deep.include({ zoneName: zone });
    }
    await agent.stop('SIGTERM', 5_000);
  });

  it('registers again within 5 s with a name server of Apache that was killed and restarted', async () => {
    await using directory = await TemporaryDirectory.create();
    const first = await apache.startNameServer('4.9.7');
    await using agent = await startAgent(directory.path, [first.port, ours.port], ['AgentA']);
    await agent.waitForOutput(/registered with 2 of 2 name servers/, 15_000);
    await first.process.stop('SIGKILL');
    await apache.startNameServer('4.9.7', {}, first.port);
    await eventually(async () => ((await routesAt(first.port, 'AgentA')).length === 1 ? true : undefined), {
      what: 'the route of AgentA at the restarted name server',
      timeoutMillis: 5_000,
    });
    expect(await brokersAt(first.port)).to.deep.equal([BROKER_ADDR]);
    expect((await agent.stop('SIGTERM', 5_000)).code).to.equal(0);
    await using probe = await NameServerProbe.connect(first.port);
    await probe.waitForBrokers([], 2_000);
  });

  it('stands back, loudly, for another node with its name and id, and registers once that is gone', async function () {
    this.timeout(120_000);
    await using directory = await TemporaryDirectory.create();
    await using other = await TemporaryDirectory.create();
    const ports = targets.map(({ port }) => port);
    await using first = await startAgent(directory.path, ports, ['AgentA', 'AgentB']);
    await first.waitForOutput(/registered with 4 of 4 name servers/, 15_000);
    const identity = { address: '127.0.0.1', port: 20_911 };
    await using second = await startAgent(other.path, ports, ['AgentA', 'AgentB'], identity);
    await second.waitForOutput(/registered with no name server/, 15_000);
    expect(second.output.match(/"event":"broker.conflict"/g)).to.have.lengthOf(4);
    for (const { name, port } of targets) expect(await routesAt(port, 'AgentA'), name).to.deep.equal([BROKER_ADDR]);
    expect((await first.stop('SIGTERM', 5_000)).code).to.equal(0);
    await second.waitForOutput(/registered with 4 of 4 name servers/, 2 * PERIOD_MILLIS);
    for (const { name, port } of targets)
      expect(await routesAt(port, 'AgentA'), name).to.deep.equal(['127.0.0.1:20911']);
    expect((await second.stop('SIGTERM', 5_000)).code).to.equal(0);
  });

  it('has a changed topic at each that is healthy within a period, and at all once they are, while one freezes, one refuses, one resets in mid-frame and one is slow', async function () {
    this.timeout(120_000);
    await using directory = await TemporaryDirectory.create();
    const proxies = await Promise.all(targets.map(({ port }) => FaultProxy.start(port)));
    const topics = join(directory.path, 'topics.json');
    const write = async (counter: number, ...names: readonly string[]): Promise<void> => {
      const topicConfigTable = Object.fromEntries(
        names.map((name) => [name, { topicName: name, perm: 6, readQueueNums: 4, writeQueueNums: 4 }]),
      );
      await writeFile(topics, JSON.stringify({ dataVersion: { counter, timestamp: Date.now() }, topicConfigTable }));
    };
    const routed = async (index: number, name: string): Promise<boolean> =>
      (await routesAt(targets[index]?.port ?? 0, name)).join() === BROKER_ADDR;
    const within = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
      eventually(async () => ((await isSo()) ? true : undefined), { what, timeoutMillis: PERIOD_MILLIS });
    await write(1, 'FaultA', 'FaultB');
    const file = join(directory.path, 'agent.yaml');
    const config = {
      namesrv: { addresses: proxies.map(({ address }) => address) },
      identity: { brokerName: 'broker-a', address: '127.0.0.1' },
      register: { interval: '10s' },
      topics: { sources: [{ file: topics }] },
      state: { dir: join(directory.path, 'state') },
    };
    await writeFile(file, JSON.stringify(config));
    const command = join(repositoryRoot, 'scripts/rmq-agent');
    await using agent = new CapturedProcess({ name: 'rmq-agent', command, args: ['-c', file], cwd: directory.path });
    await agent.waitForOutput(/registered with 4 of 4 name servers/, 15_000);
    for (let rotation = 0; rotation < 2; rotation++) {
      const faults: Fault[] = ['freeze', 'refuse', 'reset', { slowMillis: 500 }];
      const faultOf = (index: number): Fault | undefined => faults[(index + 2 * rotation) % 4];
      for (const [index, proxy] of proxies.entries()) proxy.fault = faultOf(index) ?? 'pass';
      const name = `Fault${rotation}`;
      await write(rotation + 2, 'FaultA', 'FaultB', name);
      const slow = targets.findIndex((_, index) => typeof faultOf(index) === 'object');
      await within(`the route of ${name} at the slow name server`, () => routed(slow, name));
      for (const proxy of proxies) proxy.fault = 'pass';
      for (const index of targets.keys())
        await within(`the route of ${name} at ${targets[index]?.name}`, () => routed(index, name));
    }
    const opaques = proxies.flatMap(({ sent }) =>
      sent.flatMap((bytes) => splitFrames(bytes).frames.map((frame) => decodeWireFrame(frame).header.opaque)),
    );
    expect(new Set(opaques).size).to.equal(opaques.length);
    expect((await agent.stop('SIGTERM', 5_000)).code).to.equal(0);
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  });
});
