import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  apacheVersions,
  CapturedProcess,
  freePort,
  NameServerProcess,
  repositoryRoot,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';

describe('the facade of rmq-agent, for a store that is no RocketMQ broker,', () => {
  const apache = useApache(...apacheVersions);
  let nameServer: NameServerProcess;
  let directory: TemporaryDirectory;
  let agent: CapturedProcess;
  let brokerAddr: string;

  before(async () => {
    nameServer = await NameServerProcess.start();
    directory = await TemporaryDirectory.create();
    const port = await freePort();
    brokerAddr = `127.0.0.1:${port}`;
    const file = join(directory.path, 'agent.yaml');
    const config = {
      namesrv: { addresses: [nameServer.address] },
      identity: { brokerName: 'store-a', address: '127.0.0.1', port },
      topics: { sources: [{ static: [{ topic: 'A' }, { topic: 'B' }] }] },
      state: { dir: join(directory.path, 'state') },
      admin: { port: 0 },
      facade: { enabled: true, listen: brokerAddr },
    };
    await writeFile(file, JSON.stringify(config));
    agent = new CapturedProcess({
      name: 'rmq-agent',
      command: join(repositoryRoot, 'scripts/rmq-agent'),
      args: ['-c', file],
    });
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 15_000);
  });

  after(async () => {
    await agent?.[Symbol.asyncDispose]();
    await nameServer?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  for (const version of apacheVersions) {
    it(`has mqadmin ${version} list the cluster with one clean line`, async () => {
      const clusters = await apache.mqadmin(version, nameServer.address, 'clusterList');
      const row = clusters.split('\n').find((line) => line.includes(brokerAddr)) ?? '';
      expect(row.split(/\s+/), clusters).to.include.members(['DefaultCluster', 'store-a', '0', brokerAddr, 'V4_9_7']);
      expect(clusters).to.not.match(/Exception|null/);
    });

    it(`has mqadmin ${version} show status and configuration`, async () => {
      const status = await apache.mqadmin(version, nameServer.address, 'brokerStatus', '-b', brokerAddr);
      expect(status).to.match(/brokerVersionDesc\s*:\s*V4_9_7/);
      expect(status).to.not.contain('Exception');
      const config = await apache.mqadmin(version, nameServer.address, 'getBrokerConfig', '-b', brokerAddr);
      expect(config).to.match(/brokerName\s*=\s*store-a/);
      expect(config).to.not.contain('Exception');
    });
  }
});
