import { createNameServer, type NameServer, type ProfileName } from '@rmqns/namesrv';
import { BrokerRegistrar, NameServerClient, type RegistrationRound } from '@rmqns/namesrv-client';
import { RequestCode, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { ManualClock } from '@rmqns/remoting/testing';
import { decodeWireFrame, type Fault, FaultProxy, splitFrames } from '@rmqns/test-kit';
import { expect } from 'chai';
import { topic } from './turnable-parts.js';

const PERIOD_MILLIS = 30_000;
const TIMEOUT_MILLIS = 6_000;
const profiles: readonly ProfileName[] = ['4.7.1', '4.9.7', '5.3.3', '5.3.3'];
/** All at once, each at another name server in each turn. */
const faults: readonly Fault[] = ['freeze', 'refuse', 'reset', { slowMillis: 1_000 }];
const BROKER_ADDR = '10.0.0.1:10911';

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

function tableOf(counter: number, ...names: readonly string[]): TopicConfigSerializeWrapper {
  return {
    dataVersion: { counter, timestamp: 1_700_000_000_000, stateVersion: 0 },
    topicConfigTable: new Map(names.map((name) => [name, topic(name)])),
    topicQueueMappingInfoMap: new Map(),
  };
}

describe('a broker at four name servers that are all sick in another way', () => {
  let clock: ManualClock;
  let servers: NameServer[];
  let proxies: FaultProxy[];
  let asking: NameServerClient;
  let registrar: BrokerRegistrar;
  let table: TopicConfigSerializeWrapper;
  beforeEach(async () => {
    clock = new ManualClock();
    servers = profiles.map((profile) => createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, profile }));
    for (const server of servers) await server.start();
    proxies = await Promise.all(servers.map(({ address }) => FaultProxy.start(Number(address.split(':')[1]), clock)));
    asking = new NameServerClient();
    table = tableOf(1, 'A', 'B');
    registrar = new BrokerRegistrar({
      identity: { clusterName: 'C', brokerName: 'broker-a', brokerId: 0, brokerAddr: BROKER_ADDR },
      nameServerAddressList: proxies.map(({ address }) => address),
      topics: { current: () => table },
      registerNameServerPeriodMillis: PERIOD_MILLIS,
      registerBrokerTimeoutMillis: TIMEOUT_MILLIS,
      conflictPolicy: 'standBack',
      clock,
    });
  });
  afterEach(async () => {
    let isOver = false;
    const left = registrar.shutdown().finally(() => (isOver = true));
    while (!isOver) {
      clock.advance(100);
      await turn();
    }
    await left;
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    await asking.close();
    for (const server of servers) await server.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  /** Time passes as slowly as sockets need it, until that has happened. */
  async function passingUntil(isSo: () => boolean | Promise<boolean>, millis: number): Promise<number> {
    const began = clock.monotonic();
    for (;;) {
      if (await isSo()) return clock.monotonic() - began;
      if (clock.monotonic() - began > millis) throw new Error(`it took more than ${millis} ms`);
      clock.advance(20);
      for (let i = 0; i < 3; i++) await turn();
    }
  }
  const hasRoute = async (index: number, name: string): Promise<boolean> => {
    const route = await asking.getRouteInfoByTopic((servers[index] as NameServer).address, name);
    return route?.brokerDatas[0]?.brokerAddrs.get(0) === BROKER_ADDR;
  };
  const everyRoute = async (name: string): Promise<boolean> =>
    (await Promise.all(servers.map((_, index) => hasRoute(index, name)))).every(Boolean);
  /** Opaque and code of every whole request that was sent to a name server. */
  const requests = (proxy: FaultProxy): { opaque: number; code: number }[] =>
    proxy.sent.flatMap((bytes) => splitFrames(bytes).frames.map((frame) => decodeWireFrame(frame).header));

  it('has the right routes at each that is healthy within a period, keeps to the barrier, and sends nothing twice on one opaque', async function () {
    this.timeout(30_000);
    await registrar.start();
    expect(await everyRoute('A')).to.equal(true);
    for (let rotation = 0; rotation < 4; rotation++) {
      const faultOf = (index: number): Fault => faults[(index + rotation) % 4] as Fault;
      const indexOf = (fault: Fault): number => profiles.findIndex((_, index) => faultOf(index) === fault);
      for (const [index, proxy] of proxies.entries()) proxy.fault = faultOf(index);
      const name = `T${rotation}`;
      table = tableOf(rotation + 2, 'A', 'B', ...Array.from({ length: rotation + 1 }, (_, i) => `T${i}`));
      let round: RegistrationRound | undefined;
      const began = clock.monotonic();
      void registrar.topicsChanged().then((result) => (round = result));
      await passingUntil(() => round !== undefined, TIMEOUT_MILLIS);
      expect(clock.monotonic() - began).to.be.at.most(TIMEOUT_MILLIS + 20);
      expect(round?.durationMillis).to.be.at.most(TIMEOUT_MILLIS);
      const statuses = round?.outcomes.map(({ status }) => status) ?? [];
      expect(statuses[indexOf('freeze')]).to.equal('timeout');
      expect(statuses[indexOf('refuse')]).to.equal('failed');
      expect(statuses[indexOf('reset')]).to.equal('failed');
      // The slow one is healthy.
      const slow = indexOf(faults[3] as Fault);
      await passingUntil(() => hasRoute(slow, name), PERIOD_MILLIS);
      expect(await hasRoute(indexOf('reset'), name)).to.equal(false);
      await passingUntil(() => clock.monotonic() - began > PERIOD_MILLIS, 2 * PERIOD_MILLIS);

      for (const proxy of proxies) proxy.fault = 'pass';
      await passingUntil(() => everyRoute(name), PERIOD_MILLIS);
    }
    const sent = proxies.flatMap(requests);
    expect(new Set(sent.map(({ opaque }) => opaque)).size).to.equal(sent.length);
    expect(sent.filter(({ code }) => code === RequestCode.REGISTER_BROKER).length).to.be.greaterThan(20);
  });
});
