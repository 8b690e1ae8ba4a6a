import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { RegistrarBench } from './registrar-bench.js';
import type { ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, UNREGISTER_BROKER } = RequestCode;

describe('a suspended registrar', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  it('has left all name servers, hears no timer, and is back with all when resumed', async () => {
    const servers = await bench.scripted(2);
    const broker = bench.registrar(servers);
    await broker.start();
    const { outcomes } = await broker.suspend();
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'ok']);
    expect(broker.registeredAddressList).to.deep.equal([]);
    await bench.clock.advanceAsync(60_000, 5_000);
    expect(await broker.topicsChanged()).to.equal(undefined);
    for (const server of servers) expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
    expect((await broker.resume())?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'ok']);
    expect(broker.registeredAddressList).to.deep.equal(servers.map(({ address }) => address));
    for (const server of servers) expect(server.connections).to.equal(1);
  });

  it('says nothing at all when told so, and leaves once when it is shut down', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    await broker.start();
    await broker.suspend({ unregister: false });
    await bench.clock.advanceAsync(120_000, 5_000);
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
    expect(server.connections).to.equal(1);
    await broker.shutdown();
    expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('does not come back to a lost connection, nor to a new name server, before it is resumed', async () => {
    const [server, added] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = bench.registrar([server]);
    await broker.start();
    await broker.suspend({ unregister: false });
    server.dropConnections();
    broker.updateNameServerAddressList([server.address, added.address]);
    await bench.clock.advanceAsync(30_000, 1_000);
    expect([server.names, added.names]).to.deep.equal([['REGISTER_BROKER'], []]);
    await broker.resume();
    expect([server.names, added.names]).to.deep.equal([['REGISTER_BROKER', 'REGISTER_BROKER'], ['REGISTER_BROKER']]);
  });

  it('gives up a round under way, and cuts a name server off that does not take the farewell', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    server.freeze();
    const started = broker.start();
    await server.nth(REGISTER_BROKER, 1);
    const left = broker.suspend();
    await server.nth(UNREGISTER_BROKER, 1);
    bench.clock.advance(3_000);
    expect((await left).outcomes.map(({ status }) => status)).to.deep.equal(['timeout']);
    expect(await started).to.equal(undefined);
    while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    server.answer = () => RemotingCommand.response(0);
    expect((await broker.resume())?.outcomes.map(({ status }) => status)).to.deep.equal(['ok']);
  });

  it('is registered when it was resumed while it still left', async () => {
    const server = await bench.nameServer();
    const broker = bench.registrar([server]);
    const asking = new NameServerClient();
    bench.cleanUps.push(() => asking.close());
    await broker.start();
    for (let i = 0; i < 5; i++) {
      void broker.suspend();
      void broker.resume();
    }
    await broker.topicsChanged();
    expect((await asking.getBrokerClusterInfo(server.address)).brokerAddrTable.size).to.equal(1);
    expect(broker.isSuspended).to.equal(false);
  });

  it('may be resumed for nothing, and stays down after a shutdown', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    expect(await broker.resume()).to.equal(undefined);
    await broker.suspend();
    await broker.start();
    expect(server.names).to.deep.equal([]);
    await broker.resume();
    await broker.shutdown();
    expect(await broker.suspend()).to.deep.equal(await broker.shutdown());
    expect(await broker.resume()).to.equal(undefined);
    expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });
});
