import { useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { useAdminTool } from './admin-tool.js';
import { NameServerProbe } from './name-server-probe.js';
import { controlVersion, startNameServerUnderTest } from './name-server-under-test.js';

const MESSAGES = 100;

describe('a name server with workers', () => {
  const apache = useApache('5.3.3');

  before(function () {
    if (controlVersion !== undefined) this.skip();
  });

  it('serves a broker, clients and tools of 5.3.3, and loses the broker when it is stopped', async () => {
    await using server = await startNameServerUnderTest(apache, { workers: 2 });
    await using probe = await NameServerProbe.connect(server.port);
    const broker = await apache.startBroker('5.3.3', server.address);
    await probe.waitForBrokers([broker.brokerAddr], 20_000);
    expect(await probe.routeAddrs('TBW102')).to.deep.equal([broker.brokerAddr]);

    const program = ['Roundtrip.java', server.address, 'RoundtripTopic', String(MESSAGES), '60'] as const;
    expect(await apache.java('5.3.3', ...program)).to.contain(`received all ${MESSAGES}`);
    expect(await probe.routeAddrs('RoundtripTopic')).to.deep.equal([broker.brokerAddr]);
    await useAdminTool(apache, '5.3.3', server.address, [broker], 'AdminTopic');

    await broker.process.stop('SIGTERM');
    await probe.waitForBrokers([], 1_000);
    expect(await probe.routeAddrs('RoundtripTopic')).to.deep.equal([]);
  });
});
