import { RequestCode } from '@rmqns/protocol';
import { type RemotingCommand, systemClock } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { broker, EMPTY, nameServerFixture, topics } from './name-server-fixture.js';

const MEMBER_TOPIC = 'rmq_sys_SYNC_BROKER_MEMBER_broker-a';

describe('a name server that stops', () => {
  const { start, connect, ask, register, clusterInfo, route } = nameServerFixture();

  it('is gone at once when nothing is under way, whatever shutdownWaitTimeSeconds says', async () => {
    const clock = new ManualClock();
    const server = await start({ shutdownWaitTimeSeconds: 3_600 }, clock);
    const client = connect();
    await clusterInfo(client, server);
    await server.close();
    expect(clock.monotonic()).to.equal(0);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('for shutdownDelaySeconds still listens, and sends clients elsewhere but not brokers', async () => {
    const clock = new ManualClock();
    const server = await start({ shutdownDelaySeconds: 5 }, clock);
    const client = connect();
    await register(client, server, {}, topics('T1', MEMBER_TOPIC));
    const closed = server.close();
    const late = connect();
    const answer = await route(late, server);
    expect({ code: answer.code, remark: answer.remark }).to.deep.equal({ code: 1, remark: 'name server not ready' });
    expect((await route(late, server, MEMBER_TOPIC)).code).to.equal(0);
    expect((await ask(late, server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER)).code).to.equal(0);
    expect((await register(client, server, {}, topics('T1', 'T2'))).code).to.equal(0);
    clock.advance(4_999);
    expect((await route(late, server)).code).to.equal(1);
    clock.advance(1);
    await closed;
    expect(clock.pendingTimers).to.equal(0);
  });

  it('carries out the unregistrations that it has answered', async () => {
    // A slice is over after a few of them.
    let nowMillis = 0;
    const clock = { ...systemClock, monotonic: () => (nowMillis += 1) };
    const server = await start({ serverChannelMaxIdleTimeSeconds: 0 }, undefined, { clock });
    let left = 0;
    server.on('change', (event) => {
      if (event.type === 'broker.unregistered') left += 1;
    });
    const client = connect();
    const leave = (): Promise<RemotingCommand> => ask(client, server, RequestCode.UNREGISTER_BROKER, { ...broker });
    const answers = await Promise.all(Array.from({ length: 500 }, leave));
    expect(answers.every(({ code }) => code === 0)).to.equal(true);
    const before = left;
    await server.close();
    expect([before < 500, left]).to.deep.equal([true, 500]);
  });

  it('that was never started waits for nothing', async () => {
    const clock = new ManualClock();
    const server = await start({ shutdownDelaySeconds: 5 }, clock);
    const { createNameServer } = await import('../src/name-server.js');
    await createNameServer({ shutdownDelaySeconds: 5 }, { clock }).close();
    const closed = server.close();
    clock.advance(5_000);
    await closed;
  });

  it('with enableShutdownGracefully keeps connections for GO_AWAY until they have gone, and serves older peers', async () => {
    const clock = new ManualClock();
    const server = await start({ enableShutdownGracefully: true, shutdownWaitTimeSeconds: 30 }, clock);
    const [older, newer] = [connect(407), connect(475)];
    await clusterInfo(older, server);
    await clusterInfo(newer, server);
    const told = connect(476);
    await clusterInfo(told, server);
    const closed = server.close();
    expect(await clusterInfo(older, server)).to.equal(EMPTY);
    expect((await route(older, server)).remark).to.equal('name server not ready');
    const refusal = await clusterInfo(told, server).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    expect(refusal).to.not.equal('answered');
    await Promise.all([older.destroy(), newer.destroy(), told.destroy()]);
    await closed;
    expect(clock.monotonic()).to.equal(0);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('with enableShutdownGracefully closes what still stands after shutdownWaitTimeSeconds', async () => {
    const clock = new ManualClock();
    const server = await start({ enableShutdownGracefully: true, shutdownWaitTimeSeconds: 30 }, clock);
    const client = connect(407);
    await clusterInfo(client, server);
    let isClosed = false;
    const closed = server.close().then(() => (isClosed = true));
    await clusterInfo(client, server);
    clock.advance(29_999);
    await clusterInfo(client, server);
    expect(isClosed).to.equal(false);
    clock.advance(1);
    await closed;
  });

  it('says how long its stop takes at most', async () => {
    const server = await start({ shutdownDelaySeconds: 5, shutdownWaitTimeSeconds: 10 });
    expect(server.maxCloseMillis).to.equal(18_000);
  });
});
