import { RequestCode } from '@rmqns/protocol';
import { type RemotingCommand, RemotingServer } from '@rmqns/remoting';
import { expect } from 'chai';
import type { NamesrvEvent } from '../src/namesrv-event.js';
import { nameServerFixture } from './name-server-fixture.js';

describe('a name server that tells of the smallest broker id', () => {
  const { start, connect, ask, register, cleanUps } = nameServerFixture();

  /** A broker's own port, and what it hears there. */
  async function listener(): Promise<{ addr: string; heard: () => Promise<Record<string, string>> }> {
    const server = new RemotingServer();
    const got: RemotingCommand[] = [];
    let tell = (): void => {};
    server.registerDefaultProcessor({
      processRequest: (_ctx, request) => {
        got.push(request);
        tell();
        return undefined;
      },
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    const heard = async (): Promise<Record<string, string>> => {
      while (got.length === 0) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
      const { code, flag, extFields } = got.shift() as RemotingCommand;
      return { code: String(code), flag: String(flag), ...extFields };
    };
    return { addr: server.address, heard };
  }

  it('tells the others of a broker with a smaller id, and the rest when it leaves', async () => {
    const server = await start({ notifyMinBrokerIdChanged: true });
    const [master, slave] = [await listener(), await listener()];
    const [first, second] = [connect(), connect()];
    const acting = { enableActingMaster: 'true' };
    await register(first, server, { ...acting, brokerId: '1', brokerAddr: slave.addr });
    await register(second, server, { ...acting, brokerId: '0', brokerAddr: master.addr, haServerAddr: 'ha:1' });
    expect(await slave.heard()).to.deep.equal({
      code: '905',
      flag: '2',
      minBrokerId: '0',
      minBrokerAddr: master.addr,
      haBrokerAddr: 'ha:1',
    });
    await ask(second, server, RequestCode.UNREGISTER_BROKER, {
      brokerName: 'broker-a',
      brokerAddr: master.addr,
      clusterName: 'C1',
      brokerId: '0',
    });
    expect(await slave.heard()).to.deep.equal({
      code: '905',
      flag: '2',
      minBrokerId: '1',
      minBrokerAddr: slave.addr,
      offlineBrokerAddr: master.addr,
    });
  });

  it('makes an event of it in 5.x, whether or not it tells anybody', async () => {
    for (const [profile, expected] of [
      ['5.3.3', ['10.0.0.2:10911']],
      ['4.9.7', []],
    ] as const) {
      const server = await start({ profile });
      const events: NamesrvEvent[] = [];
      server.on('change', (event) => events.push(event));
      await register(connect(), server, { brokerId: '1', brokerAddr: '10.0.0.2:10911' });
      await register(connect(), server);
      const told = events.flatMap((event) => (event.type === 'min-broker-id.changed' ? event.recipients : []));
      expect(told).to.deep.equal(expected);
    }
  });

  it('says nothing when a broker leaves that is not the smallest, or a group that can have no acting master', async () => {
    const server = await start();
    const events: NamesrvEvent[] = [];
    await register(connect(), server);
    const client = connect();
    const slave = { brokerId: '1', brokerAddr: '10.0.0.2:10911' };
    await register(client, server, slave);
    server.on('change', (event) => events.push(event));
    await ask(client, server, RequestCode.UNREGISTER_BROKER, { brokerName: 'broker-a', clusterName: 'C1', ...slave });
    await register(client, server, slave);
    await ask(client, server, RequestCode.UNREGISTER_BROKER, {
      brokerName: 'broker-a',
      clusterName: 'C1',
      brokerId: '0',
      brokerAddr: '10.0.0.1:10911',
    });
    expect(events.filter(({ type }) => type === 'min-broker-id.changed')).to.deep.equal([]);
  });
});
