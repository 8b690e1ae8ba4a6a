import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { createPair, expectNoLeaks, LeakError, startTestServer } from '../../src/testing.js';

async function leaksOf(run: () => unknown): Promise<readonly string[]> {
  try {
    await expectNoLeaks(run);
    return [];
  } catch (error) {
    if (error instanceof LeakError) return error.leaks;
    throw error;
  }
}

describe('expectNoLeaks', () => {
  it('passes on what was returned or thrown', async () => {
    expect(await expectNoLeaks(() => 7)).to.equal(7);
    const failed = expectNoLeaks(() => Promise.reject(new Error('mine'))).catch((error: Error) => error.message);
    expect(await failed).to.equal('mine');
  });

  it('finds no fault with a server and a client that were ended', async () => {
    await expectNoLeaks(async () => {
      await using test = await startTestServer();
      await test.client.invokeSync(test.address, RemotingCommand.request(1), 3_000);
      await using pair = createPair();
      await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    });
  });

  it('finds no fault with a graceful close of both sides', async () => {
    await expectNoLeaks(async () => {
      const { server, client, address } = await startTestServer();
      await client.invokeSync(address, RemotingCommand.request(1), 3_000);
      await client.close();
      await server.close();
    });
  });

  it('names a server, both ends of a connection, a timer in the background and a listener of process', async () => {
    const ends: (() => void)[] = [];
    const leaks = await leaksOf(async () => {
      const server = createServer((socket) => ends.push(() => socket.destroy()));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
      const timer = setTimeout(() => {}, 60_000).unref();
      const listener = (): void => {};
      process.on('SIGWINCH', listener);
      ends.push(
        () => socket.destroy(),
        () => server.close(),
        () => clearTimeout(timer),
        () => process.off('SIGWINCH', listener),
      );
    });
    for (const end of ends) end();
    const text = leaks.join('\n');
    expect(text).to.match(/^a TCP server 127\.0\.0\.1:\d+/m);
    expect(text).to.match(/^a TCP connection .*, made at .*expect-no-leaks\.test/m);
    expect(text.match(/^a TCP connection 127\.0\.0\.1:\d+ with 127\.0\.0\.1:\d+/gm)).to.have.length(2);
    expect(text).to.match(/^a timer of 60000 ms in the background, made at .*expect-no-leaks\.test/m);
    expect(text).to.include('a listener of process for SIGWINCH');
  });

  it('says in one message how many things were left', () => {
    expect(new LeakError(['a timer']).message).to.equal('1 thing was left behind:\n- a timer');
    expect(new LeakError(['a', 'b']).message).to.equal('2 things were left behind:\n- a\n- b');
  });
});
