import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  apacheVersions,
  CapturedProcess,
  eventually,
  freePort,
  NameServerProcess,
  repositoryRoot,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';

/** Twice the time after which a broker is asked for its topics again, for a busy machine. */
const TOPICS_MILLIS = 20_000;

describe('rmq-agent that asks a running broker', () => {
  const apache = useApache(...apacheVersions);
  let ours: NameServerProcess;

  before(async () => {
    ours = await NameServerProcess.start();
  });

  after(async () => {
    await ours?.[Symbol.asyncDispose]();
  });

  for (const version of apacheVersions)
    it(`registers the topics of ${version} as it tells them (21), and takes it out when it no longer takes connections`, async () => {
      const namesrv = `127.0.0.1:${ours.port}`;
      const brokerName = `asked-${version}`;
      const { brokerAddr, process } = await apache.startBroker(version, `127.0.0.1:${await freePort()}`, {
        brokerName,
      });
      const [address, port] = brokerAddr.split(':');
      await using directory = await TemporaryDirectory.create();
      const file = join(directory.path, 'agent.yaml');
      const config = {
        namesrv: { addresses: [`localhost:${ours.port}`], dns: true },
        identity: { brokerName, address, port: Number(port) },
        topics: { sources: [{ broker: brokerAddr }] },
        health: { probes: [{ tcp: { address: brokerAddr, every: '200ms', rise: 1, fall: 2 } }] },
        state: { dir: join(directory.path, 'state') },
      };
      await writeFile(file, JSON.stringify(config));
      await using agent = new CapturedProcess({
        name: `rmq-agent beside ${version}`,
        command: join(repositoryRoot, 'scripts/rmq-agent'),
        args: ['-c', file],
      });
      await agent.waitForOutput(/registered with [12] of [12] name servers/, 30_000);
      await using probe = await NameServerProbe.connect(ours.port);
      expect(await probe.routeAddrs('SELF_TEST_TOPIC')).to.include(brokerAddr);

      const topic = `Asked-${version.replaceAll('.', '-')}`;
      await apache.mqadmin(version, namesrv, 'updateTopic', '-b', brokerAddr, '-t', topic, '-r', '4', '-w', '4');
      await eventually(async () => ((await probe.routeAddrs(topic)).join() === brokerAddr ? true : undefined), {
        what: `the route of ${topic}`,
        timeoutMillis: TOPICS_MILLIS,
      });

      await process.stop('SIGKILL');
      await agent.waitForOutput(/the node fails/, 10_000);
      await eventually(async () => ((await probe.brokerAddrs()).length === 0 ? true : undefined), {
        what: 'no broker',
        timeoutMillis: 10_000,
      });
      expect((await agent.stop('SIGTERM', 5_000)).code, agent.tail()).to.equal(0);
    });
});
