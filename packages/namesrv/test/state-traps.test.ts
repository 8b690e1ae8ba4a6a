import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { RequestCode } from '@rmqns/protocol';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { broker, EMPTY, nameServerFixture, topics } from './name-server-fixture.js';
import { permOf, recordingManager, registration, routeOf, version } from './routeinfo/registration.js';

/** Traps 1 and 2 are with the removals, 3, 7, 8 and 11 with the registrations, 5 with what operators change. */
describe("the state traps of the reference (8.4), ours beside Apache's", () => {
  const { start, connect, ask, register, clusterInfo, route } = nameServerFixture();

  it('trap 4: a wiped permission is in the memory of one server alone, here as in Apache', () => {
    const [told, other] = [recordingManager('5.3.3').manager, recordingManager('5.3.3').manager];
    for (const manager of [told, other]) manager.registerBroker(registration(), 0);
    told.wipeWritePermOfBroker('broker-a');
    expect([permOf(told, 'T1'), permOf(other, 'T1')]).to.deep.equal([4, 6]);
    // The same version leaves it wiped, the next one does not, and a server that starts anew knows of nothing.
    told.registerBroker(registration(), 1);
    expect(permOf(told, 'T1')).to.equal(4);
    told.registerBroker(registration({ version: version(2) }), 2);
    expect(permOf(told, 'T1')).to.equal(6);
  });

  it('trap 6: Apache 5.x loses the batch of unregistrations that a malformed one is in; here each stands for itself', async () => {
    const server = await start();
    const leaving = ['broker-a', 'broker-b', 'broker-c'].map((brokerName, index) => ({
      ...broker,
      brokerName,
      brokerAddr: `10.0.0.${index + 1}:10911`,
    }));
    const client = connect();
    for (const fields of leaving) await register(client, server, fields);
    const { brokerAddr, ...malformed } = broker;
    const answers = await Promise.all(
      [malformed, ...leaving, malformed].map((fields) => ask(client, server, RequestCode.UNREGISTER_BROKER, fields)),
    );
    expect(answers.map(({ code }) => code)).to.deep.equal([1, 0, 0, 0, 1]);
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
    expect((await route(client, server)).code).to.equal(17);
  });

  describe('trap 9: an acting master, here as in Apache', () => {
    const lacks = {
      'a server that supports it': { actingMasters: false },
      'a group that enables it': { enableActingMaster: false },
      'no master': { masterLeaves: false },
      'topics that cannot be written': { writable: true },
    };
    const shown = (conditions: {
      actingMasters?: boolean;
      enableActingMaster?: boolean;
      masterLeaves?: boolean;
      writable?: boolean;
    }): unknown => {
      const { actingMasters = true, enableActingMaster = true, masterLeaves = true, writable = false } = conditions;
      const { manager } = recordingManager('5.3.3');
      const over = { enableActingMaster };
      manager.registerBroker(registration({ over }), 0);
      manager.registerBroker(registration({ id: 1, addr: '10.0.0.2:10911', connection: 2, over }), 0);
      if (masterLeaves) {
        manager.unregisterBroker({
          clusterName: 'C1',
          brokerName: 'broker-a',
          brokerAddr: '10.0.0.1:10911',
          brokerId: 0,
        });
      }
      if (writable) manager.addWritePermOfBroker('broker-a');
      const route = manager.pickupTopicRouteData('T1', { actingMasters });
      return route?.brokerDatas[0]?.brokerAddrs.get(0);
    };

    it('shows where nothing is missing', () => {
      expect(shown({})).to.equal('10.0.0.2:10911');
    });

    for (const [what, conditions] of Object.entries(lacks)) {
      it(`does not show without ${what}`, () => {
        expect(shown(conditions)).to.equal(conditions === lacks['no master'] ? '10.0.0.1:10911' : undefined);
      });
    }
  });

  it('trap 10: Apache 5.x takes an id held by an empty address as free; here no address is empty', async () => {
    const server = await start();
    const client = connect();
    const refused = await register(client, server, { brokerAddr: '' });
    expect(refused).to.include({ code: 1, remark: 'the custom field <brokerAddr> is empty' });
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
    // So a single topic is still refused as a first registration.
    expect((await register(client, server, {}, topics('T1'))).remark).to.equal('register broker failed');
  });

  it('trap 12: whoever is silent for 120 s is closed, here as in Apache: brokers, clients and mute probes', async () => {
    const clock = new ManualClock();
    const server = await start({}, clock);
    const [registered, asks, polls] = [connect(), connect(), connect()];
    const [host = '', port = ''] = server.address.split(':');
    const probe = connectSocket({ host, port: Number(port) });
    await once(probe, 'connect');
    await register(registered, server);
    await route(asks, server);
    await route(polls, server);
    const closed = [once(probe, 'close'), ...[registered, asks].map((client) => closeOf(client))];
    let pollerClosed = false;
    polls.on('close', () => {
      pollerClosed = true;
    });
    // A client polls every 30 s.
    for (let seconds = 0; seconds < 150; seconds += 30) {
      clock.advance(30_000);
      await route(polls, server);
    }
    await Promise.all(closed);
    expect(pollerClosed).to.equal(false);
    expect(await clusterInfo(polls, server)).to.equal(EMPTY);
  });

  it('trap 13: a closed connection takes its broker at once, here as in Apache; a half-open one waits for the expiry', async () => {
    const clock = new ManualClock();
    const server = await start({ serverChannelMaxIdleTimeSeconds: 3_600 }, clock);
    const [closing, halfOpen, client] = [connect(), connect(), connect()];
    await register(closing, server);
    await register(halfOpen, server, { brokerName: 'broker-b', brokerAddr: '10.0.0.2:10911' });
    const left = new Promise<void>((resolve) =>
      server.on('change', (event) => event.type === 'broker-name.removed' && resolve()),
    );
    await closing.destroy();
    await left;
    expect(await clusterInfo(client, server))
      .to.contain('broker-b')
      .and.not.contain('broker-a');
    for (let scans = 0; scans < 24; scans++) clock.advance(5_000);
    expect(await clusterInfo(client, server)).to.contain('broker-b');
    clock.advance(5_000);
    expect(await clusterInfo(client, server)).to.equal(EMPTY);
  });

  it('trap 14: Apache 5.x scans first after 5 ms, ours after a period; no broker can have expired by then', () => {
    const { manager } = recordingManager('5.3.3');
    manager.registerBroker(registration(), 0);
    expect(manager.scanNotActiveBroker(5)).to.deep.equal([]);
    expect(manager.scanNotActiveBroker(5_000)).to.deep.equal([]);
    expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911'] });
  });
});

function closeOf(client: { on(event: 'close', listener: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    client.on('close', () => resolve());
  });
}
