import { connect } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { createPair, ManualClock, startTestServer } from '../../src/testing.js';

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string() },
  response: { text: t.string() },
});

describe('createPair', () => {
  it('runs a test of a service in less than 50 ms', async () => {
    let leastMillis = Number.POSITIVE_INFINITY;
    // The best of a few, as the machine may be busy with something else.
    for (let run = 0; run < 5; run++) {
      const began = performance.now();
      await using pair = createPair();
      pair.server.handle(Greet, ({ header }) => ({ header: { text: `hello ${header.name}` } }));
      const reply = await pair.client.call(pair.address, Greet, { name: 'Ada' });
      expect(reply.header.text).to.equal('hello Ada');
      await pair.destroy();
      leastMillis = Math.min(leastMillis, performance.now() - began);
    }
    expect(leastMillis).to.be.below(50);
  });

  it('lets a manual clock run out both sides', async () => {
    const clock = new ManualClock();
    await using pair = createPair({ clock, server: { allIdleMillis: 60_000 } });
    pair.server.registerProcessor(1, { processRequest: () => undefined });
    const idle = new Promise((resolve) => pair.server.on('idle', resolve));
    const failed = pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000).catch((error) => error.code);
    await clock.advanceAsync(3_000, 1_000);
    expect(await failed).to.equal('TIMEOUT');
    const raw = pair.connect();
    raw.resume();
    await clock.advanceAsync(75_000, 15_000);
    await idle;
    await pair.destroy();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives each connection to wrapSocket', async () => {
    const ports: unknown[] = [];
    await using pair = createPair({
      wrapSocket(socket) {
        ports.push(socket.localPort);
        return socket;
      },
    });
    await pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000);
    await pair.client.invokeSync('memory:2', RemotingCommand.request(1), 3_000);
    expect(ports).to.deep.equal([2, 3]);
    expect([...pair.server.channels].map((channel) => channel.remoteAddress)).to.deep.equal(['memory:2', 'memory:3']);
  });

  it('ends the calls under way when it is destroyed', async () => {
    const pair = createPair();
    pair.server.registerProcessor(1, { processRequest: () => undefined });
    const failed = pair.client.invokeSync(pair.address, RemotingCommand.request(1), 3_000).catch((error) => error.code);
    await pair.destroy();
    await pair.destroy();
    expect(await failed).to.equal('CLOSED');
    expect(pair.server.channels.size).to.equal(0);
  });
});

describe('startTestServer', () => {
  it('listens on a port of its own and is gone afterwards', async () => {
    let address = '';
    {
      await using test = await startTestServer();
      test.server.handle(Greet, ({ header }) => ({ header: { text: header.name } }));
      address = test.address;
      expect((await test.client.call(address, Greet, { name: 'Ada' })).header.text).to.equal('Ada');
    }
    await using other = createPair();
    await using test = await startTestServer();
    expect(test.address).not.to.equal(other.address);
    const failed = await test.client
      .invokeSync(address, RemotingCommand.request(1), 3_000)
      .catch((error) => error.code);
    expect(failed).to.equal('CONNECT_FAILED');
  });
});

describe('RemotingClient with createConnection', () => {
  it('ends its calls with CONNECT_FAILED and the cause when no connection comes', async () => {
    await using pair = createPair({
      wrapSocket: () => {
        throw new Error('the tunnel is closed');
      },
    });
    const error = await pair.client
      .invokeSync(pair.address, RemotingCommand.request(1), 3_000)
      .catch((thrown) => thrown);
    expect(error.code).to.equal('CONNECT_FAILED');
    expect(error.message).to.equal('connect to memory:1 failed: the tunnel is closed');
    expect(pair.server.channels.size).to.equal(1);
  });

  it('waits until the connection stands, and makes one however many wait', async () => {
    await using test = await startTestServer();
    const target = parseSocketAddress(test.address);
    let made = 0;
    const client = new RemotingClient({
      createConnection() {
        made++;
        return connect(target);
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.invokeSync('memory:1', RemotingCommand.request(1), 3_000)),
    );
    expect([made, answers.length]).to.deep.equal([1, 20]);
    await client.close();

    const { server } = test;
    await server.destroy();
    const refused = new RemotingClient({ createConnection: () => connect(target) });
    const error = await refused.invokeSync('memory:1', RemotingCommand.request(1), 3_000).catch((thrown) => thrown);
    expect([error.code, error.cause?.code ?? error.cause?.cause?.code]).to.deep.equal([
      'CONNECT_FAILED',
      'ECONNREFUSED',
    ]);
    await refused.close();
  });

  it('gives up one that does not come within connectTimeoutMillis, destroys it when it comes, and may then dial again', async () => {
    await using pair = createPair();
    const clock = new ManualClock();
    const late: ((socket: ChannelSocket) => void)[] = [];
    const client = new RemotingClient({
      clock,
      connectTimeoutMillis: 500,
      createConnection: () => (late.length > 0 ? pair.connect() : new Promise((resolve) => late.push(resolve))),
    });
    const call = () => client.invokeSync('memory:1', RemotingCommand.request(1), 3_000).catch((thrown) => thrown);
    const first = call();
    clock.advance(500);
    expect((await first).message).to.equal('connect to memory:1 failed: no connection within 500 ms');
    expect((await call()).code).to.equal(3);
    const socket = pair.connect();
    late[0]?.(socket);
    await new Promise((resolve) => socket.once('close', resolve));
    await client.destroy();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('ends at once though a connection is being made that never comes', async () => {
    const client = new RemotingClient({ createConnection: () => new Promise(() => {}) });
    const call = client.invokeSync('memory:1', RemotingCommand.request(1), 3_000).catch((thrown) => thrown.code);
    await client.destroy();
    expect(await call).to.equal('CLOSED');
  });

  it('says what it must give when that is no socket', async () => {
    const client = new RemotingClient({ createConnection: () => ({ host: 'a' }) as never });
    const error = await client.connect('memory:1').catch((thrown) => thrown);
    expect([error.code, error.message]).to.deep.equal([
      'CONNECT_FAILED',
      'connect to memory:1 failed: createConnection must give a socket or another Duplex, not an object (Object)',
    ]);
    await client.close();
  });
});
