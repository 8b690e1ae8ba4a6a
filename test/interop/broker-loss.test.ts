import { type ApacheBroker, apacheVersions, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';
import { controlVersion, type NameServerUnderTest, startNameServerUnderTest } from './name-server-under-test.js';

const EXPIRY_MILLIS = 20_000;
const SCAN_MILLIS = 1_000;
/** How often the brokers register, the least that they allow; their last word before a moment is at most that old. */
const REGISTER_PERIOD_MILLIS = 10_000;

describe('a broker that is lost', () => {
  const apache = useApache(...apacheVersions);
  let server: NameServerUnderTest;
  let probe: NameServerProbe;
  let brokers: ApacheBroker[];

  before(async function () {
    this.timeout(300_000);
    server = await startNameServerUnderTest(apache, {
      defaultHeartbeatTimeoutMillis: EXPIRY_MILLIS,
      scanNotActiveBrokerInterval: SCAN_MILLIS,
    });
    probe = await NameServerProbe.connect(server.port);
    brokers = await Promise.all(
      apacheVersions.map((version) =>
        apache.startBroker(version, server.address, {
          brokerName: `broker-${version}`,
          registerNameServerPeriod: REGISTER_PERIOD_MILLIS,
        }),
      ),
    );
    await probe.waitForBrokers(addrs(brokers), 30_000);
  });

  after(async () => {
    await probe?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  for (const frozenVersions of [['4.7.1'], ['4.9.7', '5.3.3']]) {
    it(`frozen by SIGSTOP (${frozenVersions.join(', ')}) is out once its time is over, not before, and back when it wakes`, async function () {
      // The expiry of Apache's name servers is two minutes, whatever they are told.
      if (controlVersion !== undefined) this.skip();
      const isFrozen = (_: ApacheBroker, index: number): boolean =>
        frozenVersions.includes(apacheVersions[index] ?? '');
      const frozen = brokers.filter(isFrozen);
      const others = brokers.filter((broker, index) => !isFrozen(broker, index));
      for (const { process } of frozen) process.signal('SIGSTOP');
      const frozenAt = performance.now();
      try {
        await probe.waitForBrokers(addrs(others), EXPIRY_MILLIS + SCAN_MILLIS + 5_000);
        expect(performance.now() - frozenAt).to.be.above(EXPIRY_MILLIS - REGISTER_PERIOD_MILLIS - SCAN_MILLIS);
        expect(await probe.routeAddrs('TBW102')).to.deep.equal(addrs(others));
      } finally {
        for (const { process } of frozen) process.signal('SIGCONT');
      }
      await probe.waitForBrokers(addrs(brokers), 2 * REGISTER_PERIOD_MILLIS);
    });
  }

  it('by SIGKILL is out of the routes at once, for its connection closes', async () => {
    await probe.waitForBrokers(addrs(brokers), 1_000);
    const left = [...brokers];
    for (const { process } of brokers) {
      await process.stop('SIGKILL');
      left.shift();
      await probe.waitForBrokers(addrs(left), 1_000);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal(addrs(left));
    }
  });
});

function addrs(brokers: readonly ApacheBroker[]): string[] {
  return brokers.map(({ brokerAddr }) => brokerAddr).sort();
}
