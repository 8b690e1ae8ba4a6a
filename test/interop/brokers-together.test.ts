import { type ApacheBroker, apacheVersions, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { useAdminTool } from './admin-tool.js';
import { NameServerProbe } from './name-server-probe.js';
import { type NameServerUnderTest, startNameServerUnderTest } from './name-server-under-test.js';

describe('brokers of all three versions at one name server', () => {
  const apache = useApache(...apacheVersions);
  let server: NameServerUnderTest;
  let probe: NameServerProbe;
  let brokers: ApacheBroker[];

  before(async function () {
    this.timeout(300_000);
    server = await startNameServerUnderTest(apache);
    probe = await NameServerProbe.connect(server.port);
    brokers = await Promise.all(
      apacheVersions.map((version) => apache.startBroker(version, server.address, { brokerName: `broker-${version}` })),
    );
    await probe.waitForBrokers(
      brokers.map(({ brokerAddr }) => brokerAddr),
      30_000,
    );
  });

  after(async () => {
    await probe?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  for (const version of apacheVersions) {
    it(`serve the tools and then a producer and a consumer of ${version}`, async () => {
      const topic = `TopicOf-${version.replaceAll('.', '-')}`;
      await useAdminTool(apache, version, server.address, brokers, topic);
      expect(await probe.routeAddrs(topic)).to.deep.equal(brokers.map(({ brokerAddr }) => brokerAddr).sort());
      const roundtrip = await apache.java(version, 'Roundtrip.java', server.address, topic, '100', '60');
      expect(roundtrip).to.contain('received all 100');
    });
  }

  it('leave one by one when they are stopped, and the others stay', async () => {
    const left = brokers.map(({ brokerAddr }) => brokerAddr);
    for (const { process } of brokers) {
      await process.stop('SIGTERM');
      left.shift();
      await probe.waitForBrokers(left, 1_000);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal([...left].sort());
    }
  });
});
