import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { expectNoLeaks, ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

describe('A client that was closed', () => {
  for (const end of ['close', 'destroy'] as const) {
    it(`by ${end} dials nothing and beats no more, whatever it did before (W32)`, async () => {
      await expectNoLeaks(async () => {
        const clock = new ManualClock();
        const living = await rawServer((socket) => socket.resume());
        const dead = await rawServer(() => {});
        await dead.close();
        const client = new RemotingClient({
          clock,
          eager: true,
          heartbeatMillis: 1_000,
          verifyIdleMillis: 1_000,
          resolveIntervalMillis: 1_000,
          scanAvailableNameSrv: true,
        });
        client.updateNameServerAddressList([living.address, dead.address]);
        await client.connect(living.address);
        const waits = client
          .connect(dead.address, { waitForReady: true, timeoutMillis: 60_000 })
          .catch(({ code }) => code);
        // An eager client is about to dial this one again.
        for (const socket of living.sockets) socket.destroy();
        await until(() => living.sockets.size === 0);
        clock.advance(500);
        const closed = client[end](end === 'close' ? { graceMillis: 1 } : undefined);
        clock.advance(1);
        await closed;
        expect(await waits).to.equal('CLOSED');
        const connections = living.connections;
        expect([clock.pendingTimers, client.describe().dialling]).to.deep.equal([0, []]);
        clock.advance(600_000);
        client.updateNameServerAddressList([dead.address, 'b:1']);
        const code = await client.invokeSync(living.address, RemotingCommand.request(1)).catch((error) => error.code);
        expect([code, living.connections, clock.pendingTimers]).to.deep.equal(['CLOSED', connections, 0]);
        await living.close();
      });
    });
  }
});
