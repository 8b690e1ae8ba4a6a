import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ApacheProcesses,
  apacheVersions,
  CapturedProcess,
  eventually,
  freePort,
  NameServerProcess,
  repositoryRoot,
  requireInterop,
  TemporaryDirectory,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';

const BROKER_ADDR = '127.0.0.1:10911';

interface Target {
  readonly name: string;
  readonly port: number;
}

/** An agent with static topics for `broker-a` at {@link BROKER_ADDR}. */
async function startAgent(directory: string, ports: readonly number[], topics: readonly string[]) {
  const file = join(directory, 'agent.yaml');
  const config = {
    namesrv: { addresses: ports.map((port) => `127.0.0.1:${port}`) },
    identity: { brokerName: 'broker-a', address: '127.0.0.1' },
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
  let apache: ApacheProcesses;
  let ours: NameServerProcess;
  let targets: Target[];
  let dead: number;

  before(async function () {
    this.timeout(300_000);
    requireInterop(this);
    apache = await ApacheProcesses.create();
    for (const version of apacheVersions) await apache.fetch(version);
    ours = await NameServerProcess.start();
    const started = await Promise.all(apacheVersions.map((version) => apache.startNameServer(version)));
    targets = [
      ...started.map(({ version, port }) => ({ name: `Apache ${version}`, port })),
      { name: 'ours', port: ours.port },
    ];
    dead = await freePort();
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
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
});
