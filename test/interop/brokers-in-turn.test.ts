import { ApacheProcesses, apacheVersions, requireInterop } from '@rmqns/test-kit';
import { expect } from 'chai';
import { useAdminTool } from './admin-tool.js';
import { NameServerProbe } from './name-server-probe.js';
import { startNameServerUnderTest } from './name-server-under-test.js';

const MESSAGES = 100;

describe('one broker', () => {
  let apache: ApacheProcesses;

  before(async function () {
    this.timeout(300_000);
    requireInterop(this);
    apache = await ApacheProcesses.create();
    for (const version of apacheVersions) await apache.fetch(version);
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
  });

  for (const version of apacheVersions) {
    it(`of ${version} registers, serves clients and tools of ${version}, and leaves when it is stopped`, async () => {
      await using server = await startNameServerUnderTest(apache);
      await using probe = await NameServerProbe.connect(server.port);
      const broker = await apache.startBroker(version, server.address);
      await probe.waitForBrokers([broker.brokerAddr], 20_000);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal([broker.brokerAddr]);

      const roundtrip = await apache.java(
        version,
        'Roundtrip.java',
        server.address,
        'RoundtripTopic',
        String(MESSAGES),
        '60',
      );
      expect(roundtrip).to.contain(`received all ${MESSAGES}`);
      expect(await probe.routeAddrs('RoundtripTopic')).to.deep.equal([broker.brokerAddr]);
      await useAdminTool(apache, version, server.address, [broker], 'AdminTopic');

      await broker.process.stop('SIGTERM');
      await probe.waitForBrokers([], 1_000);
      expect(await probe.routeAddrs('RoundtripTopic')).to.deep.equal([]);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal([]);
    });
  }
});
