import { type ApacheBroker, ApacheProcesses, apacheVersions, requireInterop } from '@rmqns/test-kit';
import { expect } from 'chai';
import { NameServerProbe } from './name-server-probe.js';
import { controlVersion, type NameServerUnderTest, startNameServerUnderTest } from './name-server-under-test.js';

const EXPIRY_MILLIS = 15_000;
const SCAN_MILLIS = 1_000;

describe('a broker that is lost', () => {
  let apache: ApacheProcesses;
  let server: NameServerUnderTest;
  let probe: NameServerProbe;
  let brokers: ApacheBroker[];

  before(async function () {
    this.timeout(300_000);
    requireInterop(this);
    apache = await ApacheProcesses.create();
    for (const version of apacheVersions) await apache.fetch(version);
  });

  beforeEach(async () => {
    server = await startNameServerUnderTest(apache, {
      defaultHeartbeatTimeoutMillis: EXPIRY_MILLIS,
      scanNotActiveBrokerInterval: SCAN_MILLIS,
    });
    probe = await NameServerProbe.connect(server.port);
    brokers = [];
    for (const version of apacheVersions) {
      const settings = { brokerName: `broker-${version}`, registerNameServerPeriod: 10_000 };
      brokers.push(await apache.startBroker(version, server.address, settings));
    }
    await probe.waitForBrokers(addrs(brokers), 30_000);
  });

  afterEach(async () => {
    for (const { process } of brokers) await process[Symbol.asyncDispose]();
    await probe[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
  });

  it('by SIGKILL is out of the routes at once, for its connection closes', async () => {
    while (brokers.length > 0) {
      const killed = brokers.shift();
      await killed?.process.stop('SIGKILL');
      await probe.waitForBrokers(addrs(brokers), 1_000);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal(addrs(brokers));
    }
  });

  it('frozen by SIGSTOP is out once its time is over, not before, and back when it wakes', async function () {
    // The expiry of Apache's name servers is two minutes, whatever they are told.
    if (controlVersion !== undefined) this.skip();
    const [frozen, ...others] = brokers as [ApacheBroker, ...ApacheBroker[]];
    frozen.process.signal('SIGSTOP');
    const frozenAt = performance.now();
    try {
      await probe.waitForBrokers(addrs(others), EXPIRY_MILLIS + SCAN_MILLIS + 5_000);
      // It registers every ten seconds, so its last word may be that old.
      expect(performance.now() - frozenAt).to.be.above(EXPIRY_MILLIS - 10_000 - 1_000);
      expect(await probe.routeAddrs('TBW102')).to.deep.equal(addrs(others));
    } finally {
      frozen.process.signal('SIGCONT');
    }
    await probe.waitForBrokers(addrs(brokers), 25_000);
  });
});

function addrs(brokers: readonly ApacheBroker[]): string[] {
  return brokers.map(({ brokerAddr }) => brokerAddr).sort();
}
