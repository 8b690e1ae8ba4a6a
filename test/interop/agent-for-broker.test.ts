import { join } from 'node:path';
import {
  type ApacheBroker,
  type ApacheVersion,
  apacheVersions,
  CapturedProcess,
  eventually,
  freePort,
  NameServerProcess,
  repositoryRoot,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';

/** How long after the broker wrote its topics the agent may take, with the file's rest of 500 ms and a busy machine. */
const TOPICS_MILLIS = 20_000;

describe('rmq-agent in the place of a real broker’s own registration', () => {
  const apache = useApache(...apacheVersions);
  let ours: NameServerProcess;
  let ports: number[];

  before(async () => {
    ours = await NameServerProcess.start();
    const started = await Promise.all(apacheVersions.map((version) => apache.startNameServer(version)));
    ports = [...started.map(({ port }) => port), ours.port];
  });

  after(async () => {
    await ours?.[Symbol.asyncDispose]();
  });

  function startAgent({ directory, version }: ApacheBroker, ...more: readonly string[]): CapturedProcess {
    const addresses = ports.map((port) => `127.0.0.1:${port}`).join(';');
    return new CapturedProcess({
      name: `rmq-agent beside ${version}`,
      command: join(repositoryRoot, 'scripts/rmq-agent'),
      args: ['-c', join(directory, 'conf/broker.properties'), '-n', addresses, ...more],
      cwd: directory,
    });
  }

  async function everywhere(what: string, isSo: (probe: NameServerProbe) => Promise<boolean>): Promise<void> {
    for (const port of ports) {
      await using probe = await NameServerProbe.connect(port);
      await eventually(async () => ((await isSo(probe)) ? true : undefined), {
        what: `${what} at the name server on port ${port}`,
        timeoutMillis: TOPICS_MILLIS,
      });
    }
  }

  for (const version of apacheVersions)
    it(`registers a broker of ${version}, whose name server is nowhere, by its files, and clients send and receive through it`, async () => {
      const nowhere = `127.0.0.1:${await freePort()}`;
      const broker = await apache.startBroker(version, nowhere, { brokerName: `broker-${version}` });
      await using agent = startAgent(broker);
      await agent.waitForOutput(/registered with 4 of 4 name servers/, 30_000);
      await everywhere('the broker', async (probe) => (await probe.brokerAddrs()).join() === broker.brokerAddr);

      const topic = `ByFile-${version.replaceAll('.', '-')}`;
      const queues = ['-r', '4', '-w', '4'];
      await apache.mqadmin(
        version,
        `127.0.0.1:${ours.port}`,
        'updateTopic',
        '-b',
        broker.brokerAddr,
        '-t',
        topic,
        ...queues,
      );
      await everywhere(topic, async (probe) => (await probe.routeAddrs(topic)).join() === broker.brokerAddr);

      for (const port of finders(version)) {
        const output = await apache.java(version, 'Roundtrip.java', `127.0.0.1:${port}`, topic, '50', '60');
        expect(output).to.contain('received all 50');
      }

      expect((await agent.stop('SIGTERM', 5_000)).code, agent.tail()).to.equal(0);
      await everywhere('no broker', async (probe) => (await probe.brokerAddrs()).length === 0);
      expect((await broker.process.stop('SIGKILL')).signal).to.equal('SIGKILL');
    });

  for (const version of apacheVersions)
    it(`follows a broker of ${version} that becomes another of its group`, async () => {
      const nowhere = `127.0.0.1:${await freePort()}`;
      const brokerName = `role-${version}`;
      const broker = await apache.startBroker(version, nowhere, { brokerName });
      await using agent = startAgent(broker, '--set', 'enableControllerMode=true');
      await agent.waitForOutput(/registered with 4 of 4 name servers/, 30_000);
      const namesrv = `127.0.0.1:${ours.port}`;
      for (const id of ['3', '0']) {
        await apache.mqadmin(
          version,
          namesrv,
          'updateBrokerConfig',
          '-b',
          broker.brokerAddr,
          '-k',
          'brokerId',
          '-v',
          id,
        );
        await everywhere(`the broker with id ${id}`, async (probe) => {
          return JSON.stringify(await probe.members(brokerName)) === JSON.stringify({ [id]: broker.brokerAddr });
        });
      }
      expect((await agent.stop('SIGTERM', 5_000)).code, agent.tail()).to.equal(0);
      await broker.process.stop('SIGKILL');
    });

  /** The name server of the client's own version, and ours. */
  function finders(version: ApacheVersion): number[] {
    return [ports[apacheVersions.indexOf(version)] ?? 0, ours.port];
  }
});
