import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { NameServerClient } from '@rmqns/namesrv-client';
import { expect } from 'chai';
import { nameServerProblem } from '../src/name-server-problem.js';

describe('what is said of a name server that failed', () => {
  async function problemWith(peer: (socket: Socket) => void): Promise<string | undefined> {
    const server = createServer((socket) => peer(socket.on('error', () => {}).resume()));
    const client = new NameServerClient();
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      return await client.getBrokerClusterInfo(`127.0.0.1:${port}`).then(() => undefined, nameServerProblem);
    } finally {
      await client.close();
      server.close();
    }
  }

  it('asks whether it is one where it speaks another protocol', async () => {
    for (const banner of ['HTTP/1.1 400 Bad Request\r\n\r\n', 'SSH-2.0-OpenSSH_9.6\r\n'])
      expect(await problemWith((socket) => socket.write(banner))).to.match(
        /closed before the answer came: what answers there speaks another protocol; is it a name server\?$/,
      );
  });

  it('says why the connection was lost where that is known', async () => {
    expect(await problemWith((socket) => socket.end())).to.match(/closed before the answer came$/);
    expect(await problemWith((socket) => socket.once('data', () => socket.resetAndDestroy()))).to.match(
      /closed before the answer came: .*ECONNRESET/,
    );
    expect(nameServerProblem(new Error('anything'))).to.equal('anything');
    expect(nameServerProblem(undefined)).to.equal(undefined);
  });
});
