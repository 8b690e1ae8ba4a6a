import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { apacheVersions, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { useAdminTool } from './admin-tool.js';
import { NameServerProbe } from './name-server-probe.js';
import { startNameServerUnderTest } from './name-server-under-test.js';

const MESSAGES = 100;

/** What examples/real-broker.ts prints of the brokers that a name server knows. */
async function runRealBrokerExample(nameServerAddress: string): Promise<string> {
  const example = fileURLToPath(new URL('../../../examples/dist/real-broker.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [example, nameServerAddress], { timeout: 20_000 });
  return stdout;
}

describe('one broker', () => {
  const apache = useApache(...apacheVersions);

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

      expect(await runRealBrokerExample(server.address)).to.match(
        new RegExp(
          `^broker-a:0 ${broker.brokerAddr.replaceAll('.', '\\.')} brokerVersionDesc=V${version.replaceAll('.', '_')} bootTimestamp=\\d+ putTps=`,
        ),
      );

      await broker.process.stop('SIGTERM');
      await probe.waitForBrokers([], 1_000);
      expect(await probe.routeAddrs('RoundtripTopic')).to.deep.equal([]);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal([]);
    });
  }
});
