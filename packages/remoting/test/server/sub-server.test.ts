import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

describe('RemotingServer.newRemotingServer', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function makeServers(): Promise<{ parent: RemotingServer; sub: RemotingServer; client: RemotingClient }> {
    const parent = new RemotingServer();
    const sub = parent.newRemotingServer(0);
    const client = new RemotingClient();
    cleanUps.push(
      () => parent.destroy(),
      () => client.destroy(),
    );
    await parent.start();
    await sub.start();
    return { parent, sub, client };
  }

  const ask = (client: RemotingClient, server: RemotingServer, code: number): Promise<string | undefined> =>
    client.invokeSync(server.address, RemotingCommand.request(code), 2_000).then(
      (response) => response.remark,
      (error: RemotingError) => error.code,
    );

  it('has processors of its own: what it serves its parent does not (A30)', async () => {
    const { parent, sub, client } = await makeServers();
    const { port } = parseSocketAddress(sub.address);
    sub.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, String(port)) });
    expect(await ask(client, parent, 1)).to.equal(' request type 1 not supported');
    expect(await ask(client, sub, 1)).to.equal(String(port));
    expect(await ask(client, sub, 2)).to.equal(' request type 2 not supported');
    expect([parent.counters.requestsIn, sub.counters.requestsIn]).to.deep.equal([1, 2]);
    await sub.close();
    expect(await ask(client, sub, 1)).to.match(/^(CONNECT_FAILED|CONNECTION_CLOSED|SEND_FAILED)$/);
    expect(await ask(client, parent, 1)).to.equal(' request type 1 not supported');
  });

  it('shares the options, hooks and interceptors not', async () => {
    const parent = new RemotingServer({ version: 479 });
    const sub = parent.newRemotingServer({ host: '127.0.0.1', port: 0 });
    const client = new RemotingClient();
    cleanUps.push(
      () => parent.destroy(),
      () => client.destroy(),
    );
    parent.registerRpcHook({ doBeforeRequest: () => expect.fail('not asked') });
    sub.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, 'served') });
    await sub.start();
    expect(await client.invokeSync(sub.address, RemotingCommand.request(1))).to.deep.include({
      version: 479,
      remark: 'served',
    });
  });

  it('is refused for a port that another of them has, and by a sub-server', async () => {
    const { parent, sub } = await makeServers();
    for (const { address } of [parent, sub]) {
      const { port } = parseSocketAddress(address);
      expect(() => parent.newRemotingServer(port))
        .to.throw(`The port ${port} already in use by another RemotingServer`)
        .with.property('code', 'INVALID_ARGUMENT');
    }
    expect(() => sub.newRemotingServer(0)).to.throw(/^a sub-server makes none of its own/);
    const { port } = parseSocketAddress(sub.address);
    await sub.close();
    const again = parent.newRemotingServer(port);
    await again.start();
    expect(again.address).to.equal(sub.address);
  });

  it('closes with its parent, which reports for both', async () => {
    const { parent, sub, client } = await makeServers();
    let finish = (): void => {};
    const asked = new Promise<void>((resolve) => {
      sub.registerProcessor(1, {
        processRequest: () => {
          resolve();
          return new Promise((answer) => {
            finish = () => answer(RemotingCommand.response(0, 'done'));
          });
        },
      });
    });
    const call = ask(client, sub, 1);
    await asked;
    const closed = parent.close();
    finish();
    expect(await call).to.equal('done');
    expect(await closed).to.deep.equal({ finished: 1, cut: 0 });
    expect(await ask(client, sub, 1)).to.equal('CONNECT_FAILED');
    expect(() => parent.newRemotingServer(0))
      .to.throw('the server is closed')
      .with.property('code', 'CLOSED');
  });

  it('is destroyed with its parent', async () => {
    const { parent, sub, client } = await makeServers();
    const asked = new Promise<void>((resolve) => {
      sub.registerProcessor(1, {
        processRequest: () => {
          resolve();
          return new Promise(() => {});
        },
      });
    });
    const call = ask(client, sub, 1);
    await asked;
    await parent.destroy();
    expect(await call).to.equal('CONNECTION_CLOSED');
  });
});
