import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { NameServerClient } from '@rmqns/namesrv-client';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { freePort } from '@rmqns/test-kit';
import { expect } from 'chai';
import type { AgentConfig } from '../src/agent-config.js';
import { AgentService } from '../src/agent-service.js';
import { agentConfig, Scratch } from './agent-fixture.js';

describe('a new configuration of a running agent', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let servers: NameServer[];
  let asking: NameServerClient;
  let service: AgentService;
  let config: AgentConfig;
  let losses: number;
  let said: [object, string][];

  beforeEach(async () => {
    scratch = new Scratch();
    clock = new ManualClock(1_000);
    asking = new NameServerClient();
    servers = [0, 1].map(() => createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 }));
    losses = 0;
    said = [];
    for (const server of servers) {
      await server.start();
      server.on('change', ({ type }) => {
        if (type === 'broker.unregistered' || type === 'broker.expired') losses += 1;
      });
    }
    config = agentConfig(addresses(), ['A', 'B'], join(scratch.path, 'state'));
    const hear = (fields: object, message?: string): void => void said.push([fields, message ?? '']);
    service = new AgentService({ config, clock, logger: { ...silentLogger, info: hear, error: hear } });
    await service.start();
    await registered('A', 2);
  });
  afterEach(async () => {
    await service.stop();
    await asking.close();
    for (const server of servers) await server.close();
    scratch[Symbol.dispose]();
    expect(clock.pendingTimers).to.equal(0);
  });

  /** Waits for what takes time. */
  async function overtime(task: Promise<void>): Promise<void> {
    let isOver = false;
    void task.finally(() => (isOver = true));
    while (!isOver) await clock.advanceAsync(1_000, 1_000);
    await task;
  }
  const addresses = (): string[] => servers.map(({ address }) => address);
  const withTopics = (...topics: string[]): AgentConfig => ({ ...config, topics: agentConfig([], topics, '').topics });

  async function holders(topic: string): Promise<(string | undefined)[]> {
    const routes = await Promise.all(addresses().map((address) => asking.getRouteInfoByTopic(address, topic)));
    return routes.map((route) => route?.brokerDatas[0]?.brokerAddrs.get(0));
  }
  async function registered(topic: string, count: number): Promise<void> {
    for (;;) if ((await holders(topic)).filter((holder) => holder !== undefined).length === count) return;
  }

  it('is in effect without the node leaving any name server', async () => {
    await service.reload(withTopics('C', 'D', 'E'));
    expect(await holders('C')).to.deep.equal(['10.0.0.1:10911', '10.0.0.1:10911']);
    expect(losses).to.equal(0);
    expect(said.at(-1)).to.deep.equal([{ changed: ['topics'] }, 'the configuration was read again and is in effect']);
  });

  it('is in effect without the node leaving, though a round of the former one comes while a name server hangs', async () => {
    const hanging = createServer((socket) => socket.on('error', () => {}).resume());
    await once(hanging.listen(0, '127.0.0.1'), 'listening');
    try {
      await clock.advanceAsync(8_000, 1_000);
      const frozen = `127.0.0.1:${(hanging.address() as AddressInfo).port}`;
      const reloaded = service.reload({ ...withTopics('C', 'D'), namesrvAddresses: [...addresses(), frozen] });
      await registered('C', 2);
      await overtime(reloaded);
      // The end of the former one's connections is seen when it is, whatever the clock says.
      for (let turn = 0; turn < 50; turn += 1) expect(await holders('C')).to.not.include(undefined);
      expect(losses).to.equal(0);
    } finally {
      await overtime(service.stop());
      hanging.close();
    }
  });

  it('keeps the name servers that were known last where the one who tells them does not answer', async () => {
    const gone = `http://127.0.0.1:${await freePort()}/`;
    const discovery = { file: undefined, addressServer: gone, dns: false, refreshMillis: 10_000 };
    const reloaded = service.reload({ ...withTopics('C', 'D'), namesrvAddresses: [], discovery });
    await registered('C', 2);
    await overtime(reloaded);
    await clock.advanceAsync(60_000, 1_000);
    expect(await holders('C')).to.deep.equal(['10.0.0.1:10911', '10.0.0.1:10911']);
    expect(losses).to.equal(0);
    expect(service.status.waitingFor).to.deep.equal([]);
    expect(service.status.nameServers.problem).to.match(/ECONNREFUSED/);
  });

  it('has the node leave the name servers that are gone, and only those', async () => {
    await service.reload({ ...config, namesrvAddresses: addresses().slice(0, 1) });
    await registered('A', 1);
    expect((await holders('A'))[0]).to.equal('10.0.0.1:10911');
  });

  it('takes another address and name along', async () => {
    const identity = { ...config.identity, brokerName: 'broker-b', brokerAddr: '10.0.0.2:10911' };
    await service.reload({ ...config, identity });
    expect(await holders('A')).to.deep.equal(['10.0.0.2:10911', '10.0.0.2:10911']);
    const clusters = await Promise.all(addresses().map((address) => asking.getBrokerClusterInfo(address)));
    expect(clusters.map(({ brokerAddrTable }) => [...brokerAddrTable.keys()])).to.deep.equal([
      ['broker-b'],
      ['broker-b'],
    ]);
  });

  it('that says the same changes nothing', async () => {
    await service.reload(withTopics('A', 'B'));
    expect(said.at(-1)?.[1]).to.equal('the configuration was read again: nothing changed');
  });

  it('that cannot be had leaves the former one in effect, and gives way to one that can', async () => {
    writeFileSync(join(scratch.path, 'file'), '');
    const stuck = service.reload({ ...withTopics('C', 'D'), stateDirectory: join(scratch.path, 'file', 'state') });
    await clock.advanceAsync(40_000, 1_000);
    expect(await holders('A')).to.deep.equal(['10.0.0.1:10911', '10.0.0.1:10911']);
    await service.reload(withTopics('C', 'D'));
    await stuck;
    expect(await holders('C')).to.deep.equal(['10.0.0.1:10911', '10.0.0.1:10911']);
    expect(losses).to.equal(0);
  });

  it('whose node does not pass takes it out after 30 s', async () => {
    const probe = {
      kind: 'tcp' as const,
      address: '127.0.0.1:1',
      everyMillis: 5_000,
      timeoutMillis: 10,
      rise: 2,
      fall: 3,
    };
    const health = {
      onFailing: 'unregister' as const,
      probing: { mode: 'all' as const, initial: 'failing' as const, probes: [probe] },
    };
    await overtime(service.reload({ ...config, health }));
    expect(await holders('A')).to.deep.equal([undefined, undefined]);
    expect(service.status.waitingFor).to.deep.equal(['the node to pass']);
  });

  it('is given up when the agent stops meanwhile', async () => {
    const reloading = service.reload(withTopics('C', 'D', 'E'));
    await service.stop();
    await reloading;
    expect(await holders('A')).to.deep.equal([undefined, undefined]);
    expect(await holders('C')).to.deep.equal([undefined, undefined]);
  });
});
