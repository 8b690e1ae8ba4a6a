import { createNameServer } from '@rmqns/namesrv';
import { apacheVersions, eventually, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';

describe('a real broker that is idle', () => {
  const apache = useApache(...apacheVersions);

  it('registers again with each period, and what it sends never reaches the parser', async () => {
    await Promise.all(
      apacheVersions.map(async (version) => {
        // In this process, to see its counters.
        await using server = createNameServer({ profile: version, bindAddress: '127.0.0.1', listenPort: 0 });
        await server.start();
        const broker = await apache.startBroker(version, server.address, { registerNameServerPeriod: 10_000 });
        const twice = { what: `a ${version} broker registers twice and says the same`, timeoutMillis: 60_000 };
        const read = await eventually(async () => {
          const { registrationsRead, registrationsUnchanged } = server.counters;
          return registrationsUnchanged >= 2 ? registrationsRead : undefined;
        }, twice);
        // At its start a broker registers as its topics come up.
        expect(read, version).to.be.within(1, 10);
        const unchanged = server.counters.registrationsUnchanged;
        const again = { what: `a ${version} broker registers once more`, timeoutMillis: 30_000 };
        await eventually(async () => server.counters.registrationsUnchanged > unchanged || undefined, again);
        expect(server.counters.registrationsRead, version).to.equal(read);
        await broker.process.stop('SIGTERM');
      }),
    );
  });
});
