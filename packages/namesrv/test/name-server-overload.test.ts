import { RequestCode } from '@rmqns/protocol';
import { type Clock, type RemotingClient, RemotingCommand, systemClock } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import type { NameServer } from '../src/name-server.js';
import { type NamesrvOptions, resolveNamesrvOptions } from '../src/namesrv-options.js';
import { createRequestQueues } from '../src/request-queues.js';
import { broker, nameServerFixture, recordingLogger } from './name-server-fixture.js';

const FLOOD = 1_000;
/** What one connection sends is never dealt with all at once. */
const CONNECTIONS = 50;

/** A clock by which everything takes time: it goes on by 4 ms whenever it is read. */
function slowClock(): Clock {
  let nowMillis = 0;
  return { ...systemClock, monotonic: () => (nowMillis += 4) };
}

describe('a name server that is asked more than it can answer', () => {
  const { start, connect, register } = nameServerFixture();

  const slowServer = (options: NamesrvOptions = {}): Promise<NameServer> =>
    start({ serverChannelMaxIdleTimeSeconds: 0, defaultHeartbeatTimeoutMillis: 1e9, ...options }, undefined, {
      clock: slowClock(),
    });

  /** Sends all at once, over many connections; the codes of the answers come in their order. */
  async function flood(server: NameServer, request: () => RemotingCommand, codes: number[]): Promise<void> {
    const clients = Array.from({ length: CONNECTIONS }, () => connect());
    await Promise.all(clients.map((client) => client.connect(server.address)));
    const send = async (client: RemotingClient): Promise<void> => {
      codes.push((await client.invokeSync(server.address, request(), 20_000)).code);
    };
    await Promise.all(clients.flatMap((client) => Array.from({ length: FLOOD / CONNECTIONS }, () => send(client))));
  }

  const lookup = (): RemotingCommand =>
    RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, { extFields: { topic: 'T1' } });
  const heartbeat = (): RemotingCommand =>
    RemotingCommand.request(RequestCode.BROKER_HEARTBEAT, { extFields: { ...broker } });

  it('answers the surplus of lookups with SYSTEM_BUSY, and brokers as ever', async () => {
    const server = await slowServer({ clientRequestThreadPoolQueueCapacity: 20 });
    const other = connect();
    await register(other, server);
    const codes: number[] = [];
    const flooded = flood(server, lookup, codes);
    const heard: number[] = [];
    await Promise.all(Array.from({ length: 20 }, async () => heard.push((await register(other, server)).code)));
    await flooded;
    expect(new Set(codes)).to.deep.equal(new Set([0, 2]));
    expect(codes.filter((code) => code === 0).length).to.be.above(20);
    expect(heard.every((code) => code === 0)).to.equal(true);
  });

  it('answers the surplus of other requests with SYSTEM_BUSY, and lookups as ever', async () => {
    const server = await slowServer({ defaultThreadPoolQueueCapacity: 20 });
    const other = connect();
    await register(other, server);
    const codes: number[] = [];
    const flooded = flood(server, heartbeat, codes);
    const found: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async () => found.push((await other.invokeSync(server.address, lookup())).code)),
    );
    await flooded;
    expect(new Set(codes)).to.deep.equal(new Set([0, 2]));
    expect(found.every((code) => code === 0)).to.equal(true);
  });

  for (const [what, flooding, waiting] of [
    ['a registered broker behind lookups', lookup, heartbeat],
    ['a lookup behind what brokers send', heartbeat, lookup],
  ] as const)
    it(`keeps from waiting ${what} that came before`, async () => {
      const server = await slowServer();
      const other = connect();
      await register(other, server);
      const codes: number[] = [];
      const flooded = flood(server, flooding, codes);
      while (codes.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const answer = await other.invokeSync(server.address, waiting());
      const answeredBefore = codes.length;
      await flooded;
      expect(answer.code).to.equal(0);
      expect(answeredBefore, String(codes.length)).to.be.below(FLOOD / 2);
      expect(codes.every((code) => code === 0)).to.equal(true);
    });

  it('says that a queue lags, and that it has caught up', async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const { client: queue } = createRequestQueues(resolveNamesrvOptions(), clock, logger);
    expect(queue.tryBegin()).to.equal(true);
    queue.end();
    queue.offer({ owner: queue, run: () => queue.end(), expire: () => {}, drop: () => {} });
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'warn route lookups wait for 1000 ms, 1 of 50000 that may',
      'info route lookups are answered in time again',
    ]);
  });
});
