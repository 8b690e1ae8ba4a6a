import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { NameServerClient, registerBrokerAll } from '@rmqns/namesrv-client';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { Agent } from '../src/agent.js';
import type { Health, OnFailing } from '../src/health-gate.js';
import type { RoleSource } from '../src/role-source.js';
import { staticTopicsSource } from '../src/static-topics-source.js';
import { agentConfig } from './agent-fixture.js';
import { TurnableHealth, TurnableNameServers, TurnableRole, topic } from './turnable-parts.js';

describe('an agent', () => {
  let directory: string;
  let clock: ManualClock;
  let servers: [NameServer, NameServer];
  let health: TurnableHealth;
  let nameServers: TurnableNameServers;
  let asking: NameServerClient;
  let running: Agent[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
    clock = new ManualClock(1_000);
    servers = [0, 1].map(() => createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 })) as [
      NameServer,
      NameServer,
    ];
    for (const server of servers) await server.start();
    health = new TurnableHealth();
    nameServers = new TurnableNameServers();
    asking = new NameServerClient();
    running = [];
  });
  afterEach(async () => {
    for (const agent of running) await agent.stop();
    await asking.close();
    for (const server of servers) await server.close();
    await rm(directory, { recursive: true });
    expect(clock.pendingTimers).to.equal(0);
  });

  async function started(onFailing: OnFailing = 'unregister', role?: RoleSource): Promise<Agent> {
    const config = { ...agentConfig([], [], join(directory, 'state')), health: { onFailing } };
    const topicSources = [staticTopicsSource(new Map(['A', 'B'].map((name) => [name, topic(name)])))];
    const parts = { topicSources, health, nameServers, role };
    const agent = new Agent({ config, clock, logger: silentLogger, parts });
    running.push(agent);
    await agent.start();
    return agent;
  }

  /** The permission of topic A in the routes of each name server; `undefined` where it has no route. */
  const perms = (): Promise<(number | undefined)[]> =>
    Promise.all(
      servers.map(async ({ address }) => (await asking.getRouteInfoByTopic(address, 'A'))?.queueDatas[0]?.perm),
    );
  const round = (agent: Agent): Promise<unknown> => new Promise((resolve) => agent.once('round', resolve));
  const both = (): string[] => servers.map(({ address }) => address);

  it('registers nothing before the node passed for the first time, whatever is to happen when it fails', async () => {
    const agent = await started('keep');
    nameServers.turn(both());
    await clock.advanceAsync(120_000, 5_000);
    expect(agent.status).to.deep.include({ state: 'waiting', waitingFor: ['the node to pass'] });
    expect(await perms()).to.deep.equal([undefined, undefined]);
    const registered = round(agent);
    health.turn('passing');
    await registered;
    expect(await perms()).to.deep.equal([6, 6]);
    expect(agent.status).to.deep.include({ state: 'registering', waitingFor: [] });
  });

  for (const [onFailing, perm] of [
    ['unregister', undefined],
    ['silent', 6],
    ['read-only', 4],
    ['keep', 6],
  ] as const)
    it(`with ${onFailing} has routes of ${perm === undefined ? 'nothing' : `permission ${perm}`} while it fails, and is back when it passes`, async () => {
      nameServers.turn(both());
      health.turn('passing');
      const agent = await started(onFailing);
      const heard: Health[] = [];
      agent.on('healthChanged', (now) => heard.push(now));
      await round(agent);
      const readOnly = onFailing === 'read-only' ? round(agent) : undefined;
      health.turn('failing');
      await readOnly;
      while (onFailing === 'unregister' && (await perms()).some((now) => now !== undefined));
      const before = agent.status.nameServers.servers.map(({ lastSuccessMillis }) => lastSuccessMillis);
      await clock.advanceAsync(60_000, 500);
      expect(await perms()).to.deep.equal([perm, perm]);
      const suspended = onFailing === 'unregister' || onFailing === 'silent';
      expect(agent.status.state).to.equal(suspended ? 'suspended' : 'registering');
      expect(agent.status.waitingFor).to.deep.equal(suspended ? ['the node to pass'] : []);
      if (suspended)
        expect(agent.status.nameServers.servers.map(({ lastSuccessMillis }) => lastSuccessMillis)).to.deep.equal(
          before,
        );
      const back = onFailing === 'keep' ? undefined : round(agent);
      health.turn('passing');
      await back;
      expect(await perms()).to.deep.equal([6, 6]);
      expect(heard).to.deep.equal(['failing', 'passing']);
    });

  it('is writable again after a restart that came while it was read-only', async () => {
    nameServers.turn(both());
    health.turn('passing');
    const first = await started('read-only');
    await round(first);
    const readOnly = round(first);
    health.turn('failing');
    await readOnly;
    const { dataVersion } = first.status.topics;
    await first.stop();
    health.turn('passing');
    const second = await started('read-only');
    await round(second);
    expect(await perms()).to.deep.equal([6, 6]);
    expect(second.status.topics.dataVersion?.counter).to.be.greaterThan(Number(dataVersion?.counter));
  });

  it('follows the name servers, and leaves those that are gone', async () => {
    health.turn('passing');
    const agent = await started();
    expect(agent.status).to.deep.include({ state: 'registering', waitingFor: ['name servers of turnable'] });
    const lists: unknown[] = [];
    agent.on('nameServersChanged', (addresses) => lists.push(addresses));
    const [one, other] = both();
    const reconnected = (): Promise<unknown> => new Promise((resolve) => agent.once('reconnect', resolve));
    for (const list of [[one], [other]] as string[][]) {
      const registered = reconnected();
      nameServers.turn(list);
      await registered;
    }
    nameServers.turn([other] as string[]);
    while ((await perms())[0] !== undefined);
    expect(await perms()).to.deep.equal([undefined, 6]);
    expect(lists).to.deep.equal([[one], [other]]);
    expect(agent.status.nameServers.servers).to.deep.equal([
      {
        address: other,
        registered: true,
        conflict: undefined,
        flapping: false,
        lastSuccessMillis: 1_000,
        lastSuccessAgeMillis: 0,
        problem: undefined,
      },
    ]);
  });

  it('stands back for another node with its name and id, shows where, and takes over when told to', async () => {
    const [taken, free] = both() as [string, string];
    const identity = { clusterName: 'C', brokerName: 'broker-a', brokerId: 0, brokerAddr: '10.0.0.2:10911' };
    const topicConfigSerializeWrapper = {
      dataVersion: { counter: 7, timestamp: 7, stateVersion: 0 },
      topicConfigTable: new Map(['A', 'X'].map((name) => [name, topic(name)])),
      topicQueueMappingInfoMap: new Map(),
    };
    await registerBrokerAll(asking, [taken], { identity, topicConfigSerializeWrapper });
    nameServers.turn([taken, free]);
    health.turn('passing');
    const agent = await started();
    const events: unknown[] = [];
    agent.on('conflict', ({ nameServer, holderAddr }) => events.push([nameServer, holderAddr]));
    agent.on('conflictEnded', (namesrv) => events.push([namesrv]));
    await round(agent);
    const shown = (): unknown[] =>
      agent.status.nameServers.servers.map(({ registered, conflict }) => [registered, conflict]);
    expect(shown()).to.deep.equal([
      [false, identity.brokerAddr],
      [true, undefined],
    ]);
    await agent.takeOver();
    expect(shown()).to.deep.equal([
      [true, undefined],
      [true, undefined],
    ]);
    expect(events).to.deep.equal([[taken, identity.brokerAddr], [taken]]);
  });

  it('follows a broker that becomes the master of its group, and its permission', async () => {
    nameServers.turn(both());
    health.turn('passing');
    const agent = await started();
    await round(agent);
    const { identity } = agent.status;
    const changes: number[] = [];
    agent.on('identityChanged', ({ brokerId }) => changes.push(brokerId));
    const members = async () => [
      ...((await asking.getBrokerClusterInfo(both()[0] ?? '')).brokerAddrTable.get('broker-a')?.brokerAddrs ?? []),
    ];
    for (const brokerId of [1, 1, 0]) {
      await agent.updateIdentity({ ...identity, brokerId });
      expect(await members()).to.deep.equal([[brokerId, '10.0.0.1:10911']]);
    }
    const registered = round(agent);
    await agent.updateIdentity({ ...identity, brokerPermission: 4 });
    await registered;
    while ((await perms()).some((perm) => perm !== 4));
    expect(changes).to.deep.equal([1, 0, 0]);
  });

  it('waits until the broker has a role, and follows it', async () => {
    nameServers.turn(both());
    health.turn('passing');
    const role = new TurnableRole();
    const agent = await started('unregister', role);
    await clock.advanceAsync(60_000, 5_000);
    expect(agent.status).to.deep.include({ state: 'waiting', waitingFor: ['the role of turnable'] });
    for (const brokerId of [2, 0, 1]) {
      const registered = round(agent);
      role.turn({ brokerId, brokerPermission: 6 });
      await registered;
      const { brokerAddrTable } = await asking.getBrokerClusterInfo(both()[1] ?? '');
      expect([...(brokerAddrTable.get('broker-a')?.brokerAddrs ?? [])]).to.deep.equal([[brokerId, '10.0.0.1:10911']]);
    }
  });

  it('goes on when a listener throws', async () => {
    nameServers.turn(both());
    health.turn('passing');
    const agent = await started();
    agent.on('outcome', () => {
      throw new Error('not today');
    });
    await round(agent);
    expect(await perms()).to.deep.equal([6, 6]);
  });
});
