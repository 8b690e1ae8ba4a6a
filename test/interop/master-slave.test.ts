import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApacheBroker, type ApacheVersion, eventually, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';
import { startNameServerUnderTest } from './name-server-under-test.js';

const MESSAGES = 100;

/** What the slave's log says when the name server has told it its master: first the address, then that for replication. */
function learned(version: ApacheVersion, masterAddr: string, haServerAddr: string): string[] {
  return version === '5.3.3'
    ? [
        `update master address, OLD: null NEW: ${masterAddr}`,
        `update master ha address, OLD: null NEW: ${haServerAddr}`,
      ]
    : [`from master, ${masterAddr}`, `update master address, OLD: null NEW: ${haServerAddr}`];
}

describe('a master and its slave', () => {
  const apache = useApache('4.7.1', '5.3.3');

  for (const version of ['4.7.1', '5.3.3'] as const) {
    it(`of ${version} find each other: the slave learns its master's addresses and gets its messages`, async () => {
      await using server = await startNameServerUnderTest(apache);
      await using probe = await NameServerProbe.connect(server.port);
      const settings = { registerNameServerPeriod: 10_000 };
      const master = await apache.startBroker(version, server.address, settings);
      await probe.waitForBrokers([master.brokerAddr], 20_000);
      const slave = await apache.startBroker(version, server.address, {
        ...settings,
        brokerRole: 'SLAVE',
        brokerId: 1,
      });
      await probe.waitForBrokers([master.brokerAddr, slave.brokerAddr], 20_000);

      for (const text of learned(version, master.brokerAddr, haServerAddr(master))) await waitForLog(slave, text);

      const roundtrip = await apache.java(
        version,
        'Roundtrip.java',
        server.address,
        'PairTopic',
        String(MESSAGES),
        '60',
      );
      expect(roundtrip).to.contain(`received all ${MESSAGES}`);
      await eventually(
        async () => {
          const written = await statusOf(master, server.address);
          return (await statusOf(slave, server.address)) === written ? written : undefined;
        },
        { what: "the slave's store as long as its master's", timeoutMillis: 30_000 },
      );

      // Without its master the slave alone is left, for readers.
      await master.process.stop('SIGTERM');
      await probe.waitForBrokers([slave.brokerAddr], 1_000);
      await slave.process.stop('SIGTERM');
      await probe.waitForBrokers([], 1_000);
    });
  }

  /** How many messages a broker's store took, and to which length: `100 22280`. */
  async function statusOf(broker: ApacheBroker, namesrvAddr: string): Promise<string> {
    const text = await apache.mqadmin(broker.version, namesrvAddr, 'brokerStatus', '-b', broker.brokerAddr);
    const value = (name: string): string | undefined => text.match(new RegExp(`^${name}\\s*: (\\d+)`, 'm'))?.[1];
    const messages = value('putMessageTimesTotal');
    expect(messages, text).to.equal(String(MESSAGES));
    return `${messages} ${value('commitLogMaxOffset')}`;
  }
});

/** The broker uses the port after its own for replication. */
function haServerAddr({ brokerAddr }: ApacheBroker): string {
  const [host, port] = brokerAddr.split(':');
  return `${host}:${Number(port) + 1}`;
}

/** Its log is a file; nothing tells when a line is written. */
async function waitForLog(broker: ApacheBroker, text: string): Promise<void> {
  const file = join(broker.directory, 'logs/broker.log');
  await eventually(async () => ((await readFile(file, 'utf8')).includes(text) ? true : undefined), {
    what: `"${text}" in the log of ${broker.process.name}`,
    timeoutMillis: 40_000,
    intervalMillis: 250,
  });
}
