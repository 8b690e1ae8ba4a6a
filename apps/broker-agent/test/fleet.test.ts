import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { Agent } from '../src/agent.js';
import { agentConfig, Scratch } from './agent-fixture.js';
import { CountingProxy } from './counting-proxy.js';

const AGENTS = 30;
const TOPICS = Array.from({ length: 20 }, (_, index) => `Topic-${index}`);
const PERIOD_MILLIS = 30_000;
/** A question for the group and a registration of those topics; 3,433 when this was written. */
const BYTES_A_PERIOD = 3_500;

/** What many agents cost name servers, counted: figures that a change for the worse would move, whatever the machine does meanwhile. */
describe('a fleet of 30 agents at three name servers', function () {
  this.timeout(60_000);
  let scratch: Scratch;
  let clock: ManualClock;
  let servers: NameServer[];
  let proxies: CountingProxy[];
  let agents: Agent[];

  beforeEach(async () => {
    scratch = new Scratch();
    clock = new ManualClock();
    servers = await Promise.all([0, 1, 2].map(() => nameServer()));
    proxies = servers.map(({ address }) => new CountingProxy(address, () => clock.monotonic()));
    await Promise.all(proxies.map((proxy) => proxy.up()));
    agents = [];
  });
  afterEach(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await Promise.all(proxies.map((proxy) => proxy.down()));
    await Promise.all(servers.map((server) => server.close()));
    expect(clock.pendingTimers).to.equal(0);
    scratch[Symbol.dispose]();
  });

  async function nameServer(): Promise<NameServer> {
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await server.start();
    return server;
  }

  async function registeredFleet(reconnectJitter?: number): Promise<void> {
    const addresses = proxies.map(({ address }) => address);
    agents = Array.from({ length: AGENTS }, (_, index) => {
      const base = agentConfig(addresses, TOPICS, join(scratch.path, String(index)));
      const node = { brokerName: `node-${index}`, brokerAddr: `10.0.0.${index}:10911` };
      const config = {
        ...base,
        identity: { ...base.identity, ...node },
        register: { ...base.register, reconnectJitter },
      };
      return new Agent({ config, clock, logger: silentLogger });
    });
    const registered = agents.map((agent) => new Promise<void>((resolve) => agent.once('round', () => resolve())));
    await Promise.all(agents.map((agent) => agent.start()));
    await Promise.all(registered);
  }

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Lets a period pass, and waits for the round of each agent in it. */
  async function passing(millis: number): Promise<void> {
    const rounds = agents.map((agent) => new Promise<void>((resolve) => agent.once('round', () => resolve())));
    clock.advance(millis);
    await Promise.all(rounds);
  }
  const registeredAt = (address: string): number =>
    agents.filter(({ status }) => status.nameServers.servers.find((server) => server.address === address)?.registered)
      .length;

  it('asks each name server twice an agent and period while nothing changes, has no registration read and dials nobody', async () => {
    await registeredFleet();
    for (const { counters } of servers)
      expect(counters).to.deep.equal({ registrationsRead: AGENTS, registrationsUnchanged: 0 });
    await passing(10_000);
    for (const proxy of proxies) proxy.take();
    for (const period of [1, 2, 3]) {
      await passing(PERIOD_MILLIS);
      for (const [index, proxy] of proxies.entries()) {
        const { requests, bytes } = proxy.take();
        expect(requests).to.deep.equal({ GET_BROKER_MEMBER_GROUP: AGENTS, REGISTER_BROKER: AGENTS });
        expect(bytes / AGENTS, 'bytes an agent').to.be.at.most(BYTES_A_PERIOD);
        expect(servers[index]?.counters).to.deep.equal({
          registrationsRead: AGENTS,
          registrationsUnchanged: AGENTS * (period + 1),
        });
      }
    }
    for (const { connectedMillis } of proxies) expect(connectedMillis).to.have.lengthOf(AGENTS);
  });

  /** Nobody is registered twice by the way back, and time stands still while what a step began is done. */
  async function backAfter(downMillis: number): Promise<number[]> {
    const [proxy] = proxies as [CountingProxy];
    const [lost] = servers as [NameServer];
    let tries = 0;
    for (const agent of agents) agent.on('reconnect', () => (tries += 1));
    await proxy.down();
    await lost.close();
    while (registeredAt(proxy.address) > 0) await turn();
    const end = clock.monotonic() + downMillis;
    while (clock.monotonic() < end) {
      clock.advance(100);
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
    expect(tries, 'tries while it was down').to.be.at.most(AGENTS * (5 + downMillis / 1_500));
    servers[0] = await nameServer();
    await proxy.up(servers[0].address);
    proxy.connectedMillis.length = 0;
    proxy.take();
    const began = clock.monotonic();
    while (registeredAt(proxy.address) < AGENTS) {
      clock.advance(50);
      const { length } = proxy.connectedMillis;
      do for (let turns = 0; turns < 100; turns += 1) await turn();
      while (registeredAt(proxy.address) < Math.max(length, proxy.connectedMillis.length));
    }
    expect(servers[0].counters).to.deep.equal({ registrationsRead: AGENTS, registrationsUnchanged: 0 });
    expect(proxy.take().requests['REGISTER_BROKER']).to.equal(AGENTS);
    for (const other of proxies.slice(1)) expect(other.connectedMillis).to.have.lengthOf(AGENTS);
    return proxy.connectedMillis.map((millis) => millis - began);
  }
  /** The most that came within any tenth of a second. */
  const peak = (millis: readonly number[]): number =>
    Math.max(...millis.map((from) => millis.filter((at) => at >= from && at < from + 100).length));

  for (const downMillis of [0, 3_000, 60_000])
    it(`comes back spread over 1.5 s, each once, to a name server that was down for ${downMillis / 1_000} s`, async () => {
      await registeredFleet();
      const came = await backAfter(downMillis);
      expect(came).to.have.lengthOf(AGENTS);
      // A step of the clock more, and what is accepted within the one after.
      expect(Math.max(...came)).to.be.at.most(1_650);
      expect(peak(came)).to.be.at.most(AGENTS / 2);
    });

  it('comes back all at once without jitter', async () => {
    await registeredFleet(0);
    expect(peak(await backAfter(0))).to.equal(AGENTS);
  });
});
