import { decodeTopicRouteData, RequestCode } from '@rmqns/protocol';
import type { RemotingClient, RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import type { NameServer } from '../src/name-server.js';
import { broker, nameServerFixture, topics } from './name-server-fixture.js';

const slave = { brokerId: '1', brokerAddr: '10.0.0.2:10911', haServerAddr: '10.0.0.2:10912' };

/** `id=addr` of each member of each group, and the permission of each queue entry. */
function shown({ code, body }: RemotingCommand): object {
  const route = decodeTopicRouteData(body);
  return {
    code,
    brokers: Object.fromEntries(
      (route?.brokerDatas ?? []).map(({ brokerName, brokerAddrs }) => [
        brokerName,
        [...brokerAddrs].map(([id, addr]) => `${id}=${addr}`).join(),
      ]),
    ),
    queues: (route?.queueDatas ?? []).map(({ brokerName, perm }) => `${brokerName}:${perm}`),
  };
}

describe('a name server of 5.x, asked for routes', () => {
  const { start, connect, ask, register, text, route } = nameServerFixture();

  describe('with an acting master', () => {
    const group = async (options: object): Promise<{ server: NameServer; client: RemotingClient }> => {
      const server = await start(options);
      const [master, other] = [connect(), connect()];
      await register(
        master,
        server,
        { enableActingMaster: 'true' },
        topics('T1', 'rmq_sys_SYNC_BROKER_MEMBER_broker-a'),
      );
      await register(other, server, { ...slave, enableActingMaster: 'true' });
      await ask(master, server, RequestCode.UNREGISTER_BROKER, broker);
      return { server, client: other };
    };

    it('shows the smallest slave of a group that lost its master as the master, for reading', async () => {
      const { server, client } = await group({ supportActingMaster: true });
      expect(shown(await route(client, server))).to.deep.equal({
        code: 0,
        brokers: { 'broker-a': '0=10.0.0.2:10911' },
        queues: ['broker-a:4'],
      });
    });

    it('shows brokers to each other with their real ids', async () => {
      const { server, client } = await group({ supportActingMaster: true });
      const topic = 'rmq_sys_SYNC_BROKER_MEMBER_broker-a';
      expect(shown(await route(client, server, topic))).to.deep.include({
        brokers: { 'broker-a': '1=10.0.0.2:10911' },
      });
    });

    it('shows the group as it is when the server does not support it, or is of 4.x', async () => {
      for (const options of [{}, { supportActingMaster: true, profile: '4.9.7' }]) {
        const { server, client } = await group(options);
        expect(shown(await route(client, server))).to.deep.include({ brokers: { 'broker-a': '1=10.0.0.2:10911' } });
      }
    });

    it('shows the real master again as soon as it is back', async () => {
      const { server, client } = await group({ supportActingMaster: true });
      await route(client, server);
      await register(connect(), server, { enableActingMaster: 'true' });
      expect(shown(await route(client, server))).to.deep.equal({
        code: 0,
        brokers: { 'broker-a': '0=10.0.0.1:10911,1=10.0.0.2:10911' },
        queues: ['broker-a:6'],
      });
    });

    it('leaves a group alone whose topics can still be written', async () => {
      const server = await start({ supportActingMaster: true });
      const client = connect();
      await register(client, server, { enableActingMaster: 'false' });
      await register(client, server, { ...slave, enableActingMaster: 'true' });
      await ask(client, server, RequestCode.UNREGISTER_BROKER, broker);
      await ask(client, server, RequestCode.ADD_WRITE_PERM_OF_BROKER, { brokerName: 'broker-a' });
      expect(shown(await route(client, server))).to.deep.include({ brokers: { 'broker-a': '1=10.0.0.2:10911' } });
    });
  });

  describe('by zones', () => {
    const zones = async (): Promise<{
      server: NameServer;
      in: (zone: string, mode?: string) => Promise<RemotingCommand>;
    }> => {
      const server = await start();
      const client = connect();
      const second = { brokerName: 'broker-b', brokerAddr: '10.0.0.3:10911' };
      await register(connect(), server, { __ZONE_NAME: 'East' });
      await register(connect(), server, { ...second, __ZONE_NAME: 'west' });
      return {
        server,
        in: (zone, mode = 'true') =>
          ask(client, server, RequestCode.GET_ROUTEINFO_BY_TOPIC, {
            topic: 'T1',
            __ZONE_NAME: zone,
            __ZONE_MODE: mode,
          }),
      };
    };

    it('shows the groups of the zone, in the legacy flavour whoever asks', async () => {
      const zoned = await zones();
      for (const zone of ['east', 'EAST']) {
        const answer = await zoned.in(zone);
        expect(shown(answer)).to.deep.equal({
          code: 0,
          brokers: { 'broker-a': '0=10.0.0.1:10911' },
          queues: ['broker-a:6'],
        });
        expect(text(answer)).to.contain('{0:"10.0.0.1:10911"}');
      }
      expect(shown(await zoned.in('west'))).to.deep.include({ queues: ['broker-b:6'] });
    });

    it('shows nothing to a zone without a master, and all to whoever is in no zone mode', async () => {
      const zoned = await zones();
      expect(shown(await zoned.in('north'))).to.deep.equal({ code: 0, brokers: {}, queues: [] });
      for (const answer of [await zoned.in('east', 'false'), await zoned.in(' ')]) {
        expect(shown(answer)).to.deep.include({ queues: ['broker-b:6', 'broker-a:6'] });
        expect(text(answer)).to.contain('{"0":"10.0.0.1:10911"}');
      }
    });

    it('shows a group that lost its master to every zone', async () => {
      const zoned = await zones();
      const client = connect();
      await register(client, zoned.server, { ...slave, __ZONE_NAME: 'East' });
      await ask(client, zoned.server, RequestCode.UNREGISTER_BROKER, broker);
      expect(shown(await zoned.in('west'))).to.deep.include({
        brokers: { 'broker-a': '1=10.0.0.2:10911', 'broker-b': '0=10.0.0.3:10911' },
      });
    });

    it('keeps no answer for each name that somebody makes up', async () => {
      const zoned = await zones();
      const kept = (await zoned.in('nowhere-1')).body;
      expect((await zoned.in('nowhere-2')).body).to.deep.equal(kept);
    });

    it('follows a group that moves to another zone', async () => {
      const zoned = await zones();
      await zoned.in('east');
      await register(connect(), zoned.server, { __ZONE_NAME: 'north' });
      expect(shown(await zoned.in('east'))).to.deep.include({ queues: [] });
      expect(shown(await zoned.in('north'))).to.deep.include({ queues: ['broker-a:6'] });
    });
  });

  it('says that it is not ready until the time to wait is over, when it is told to wait', async () => {
    const clock = new ManualClock();
    const server = await start({ needWaitForService: true, waitSecondsForService: 45 }, clock);
    const client = connect();
    await register(client, server);
    clock.advance(44_999);
    expect(await route(client, server)).to.deep.include({ code: 1, remark: 'name server not ready' });
    clock.advance(1);
    expect(await route(client, server)).to.deep.include({ code: 0 });
  });

  it('forgets what a broker no longer registers, by option', async () => {
    for (const [options, left] of [
      [{ deleteTopicWithBrokerRegistration: true }, 17],
      [{}, 0],
      [{ deleteTopicWithBrokerRegistration: true, profile: '4.9.7' as const }, 0],
    ] as const) {
      const server = await start(options);
      const client = connect();
      await register(client, server, {}, topics('T1', 'T2', 'T3'));
      await register(client, server, {}, topics('T2', 'T3'));
      expect([(await route(client, server)).code, (await route(client, server, 'T2')).code]).to.deep.equal([left, 0]);
    }
  });
});
