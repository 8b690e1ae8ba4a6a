import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

describe('a server whose connections are diverted', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(divert: (socket: Socket) => boolean): Promise<RemotingServer> {
    const server = new RemotingServer({ divert, proxyProtocolFrom: ['127.0.0.0/8'] });
    server.registerDefaultProcessor({
      processRequest: (ctx) => RemotingCommand.response(0, ctx.channel.remoteAddress),
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  const ask = async (server: RemotingServer): Promise<string | undefined> => {
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    return (await client.invokeSync(server.address, RemotingCommand.request(1))).remark;
  };

  it('serves those that nobody took', async () => {
    const server = await start(() => false);
    expect(await ask(server)).to.match(/^127\.0\.0\.1:\d+$/);
  });

  it('reads nothing from one that was taken, and does not know it', async () => {
    const taken: Socket[] = [];
    const server = await start((socket) => taken.push(socket) > 0);
    const { host, port } = parseSocketAddress(server.address);
    const peer = connect(port, host);
    cleanUps.push(() => peer.destroy());
    // Nobody reads what it says.
    peer.on('error', () => {});
    peer.write('to be read by another process');
    await once(peer, 'connect');
    // Whoever connects later has been accepted later.
    const other = connect(port, host);
    cleanUps.push(() => other.destroy());
    while (taken.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(taken[0]?.bytesRead).to.equal(0);
    expect(server.channels.size).to.equal(0);
    for (const socket of taken) socket.destroy();
  });

  it('serves one that was taken and is given back, by the address and attributes that came with it', async () => {
    const server = await start((socket) => {
      queueMicrotask(() => server.accept(socket, { remoteAddress: '10.1.2.3:4', attributes: [['zone', 'a']] }));
      return true;
    });
    const channels: Channel[] = [];
    server.on('connect', (channel) => void channels.push(channel));
    expect(await ask(server)).to.equal('10.1.2.3:4');
    expect(channels[0]?.attributes.get('zone')).to.equal('a');
    expect(channels[0]?.pipeline.get('proxyProtocol')).to.equal(undefined);
  });
});
