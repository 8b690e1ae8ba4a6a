import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import { StallingClock } from '../handler/stalling-clock.js';
import { ServerProcess } from '../soak/server-process.js';
import { askedFor } from '../soak/soak-codes.js';
import { until } from './raw-server.js';

const HEARTBEAT_MILLIS = 1_000;
const MISSES = 3;
const echo = RemotingCommand.request(askedFor.echo);
const never = RemotingCommand.request(askedFor.never);

describe('A client of a server process', () => {
  let server: ServerProcess;
  let clock: StallingClock;
  let client: RemotingClient;
  beforeEach(async () => {
    server = await ServerProcess.start();
    clock = new StallingClock();
    client = new RemotingClient({
      clock,
      timeoutMillis: 60_000,
      heartbeatMillis: HEARTBEAT_MILLIS,
      heartbeatMisses: MISSES,
      verifyIdleMillis: 10_000,
    });
    await client.invokeSync(server.address, echo);
  });
  afterEach(async () => {
    await client.destroy();
    await server.kill();
  });

  /** Lets time pass in steps in which answers come, if there are any. */
  async function pass(millis: number, isAnswered: boolean): Promise<void> {
    for (let passed = 0; passed < millis; passed += HEARTBEAT_MILLIS) {
      const { responsesIn } = client.counters;
      clock.advance(HEARTBEAT_MILLIS);
      if (isAnswered) await until(() => client.counters.responsesIn > responsesIn);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('that was stopped hears of it within as many heartbeats as may be missed: calls end, and the next goes over another connection', async () => {
    const channel = client.channel(server.address);
    server.stop();
    const calls = Array.from({ length: 20 }, () =>
      client.invokeSync(server.address, never).catch((error: unknown) => RemotingError.from(error)),
    );
    await pass((MISSES - 1) * HEARTBEAT_MILLIS, false);
    expect(client.channel(server.address)).to.equal(channel);
    await pass(HEARTBEAT_MILLIS, false);
    for (const error of await Promise.all(calls))
      expect(error).to.deep.include({ code: 'CONNECTION_CLOSED', sent: 'maybe', phase: 'wait' });
    expect(channel?.isActive).to.equal(false);
    // Its system takes connections, so this one stands; what goes over it is answered once the process goes on.
    const next = client.invokeSync(server.address, echo);
    await until(() => client.channel(server.address) !== undefined);
    server.continue();
    expect((await next).code).to.equal(0);
    expect(client.channel(server.address)).to.not.equal(channel);
  });

  it('that is busy with a request for long, but living, does not give it up: heartbeats are answered', async () => {
    const channel = client.channel(server.address);
    const call = client.invokeSync(server.address, never).catch((error: unknown) => RemotingError.from(error));
    await pass(30 * HEARTBEAT_MILLIS, true);
    expect(client.channel(server.address)).to.equal(channel);
    await client.destroy();
    expect(await call).to.include({ code: 'CLOSED' });
  });

  it('whose loop is blocked for 5 s does not give it up where that is less than the heartbeats that may be missed', async () => {
    const patient = new RemotingClient({ clock, timeoutMillis: 60_000, heartbeatMillis: 2_000, heartbeatMisses: 3 });
    await patient.invokeSync(server.address, echo);
    const channel = patient.channel(server.address);
    server.stop();
    const call = patient.invokeSync(server.address, echo);
    clock.advance(5_000);
    expect(channel?.isActive).to.equal(true);
    server.continue();
    expect((await call).code).to.equal(0);
    clock.advance(5_999);
    expect(patient.channel(server.address)).to.equal(channel);
    await patient.destroy();
  });

  it('does not give it up because its own loop was blocked for 5 s: what has arrived meanwhile is read first', async () => {
    const channel = client.channel(server.address);
    const { responsesIn } = client.counters;
    clock.advance(HEARTBEAT_MILLIS);
    clock.stall(5_000);
    clock.advance(HEARTBEAT_MILLIS);
    expect(channel?.isActive).to.equal(true);
    await until(() => client.counters.responsesIn > responsesIn);
    clock.advance(HEARTBEAT_MILLIS);
    expect(client.channel(server.address)).to.equal(channel);
    expect((await client.invokeSync(server.address, echo)).code).to.equal(0);
  });

  it('verifies its connection after the machine slept an hour, and keeps one that lives', async () => {
    const channel = client.channel(server.address);
    const { requestsOut } = client.counters;
    clock.jump(3_600_000);
    expect((await client.invokeSync(server.address, echo)).code).to.equal(0);
    expect(client.counters.requestsOut - requestsOut).to.equal(2);
    expect(client.channel(server.address)).to.equal(channel);
  });

  it('replaces a connection that died while the machine slept an hour, within the call', async () => {
    const channel = client.channel(server.address);
    server.stop();
    clock.jump(3_600_000);
    const call = client.invokeSync(server.address, echo);
    // The time that a verification may take.
    clock.advance(1_000);
    await until(() => channel?.isActive === false);
    server.continue();
    expect((await call).code).to.equal(0);
  });
});
