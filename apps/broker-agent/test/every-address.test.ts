import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameServer } from '@rmqns/namesrv';
import { NameServerClient } from '@rmqns/namesrv-client';
import { parseSocketAddress, silentLogger, systemClock } from '@rmqns/remoting';
import { expect } from 'chai';
import { Agent } from '../src/agent.js';
import { alwaysPassing } from '../src/health-gate.js';
import { listedNameServers } from '../src/name-server-source.js';
import { ResolvedNameServers } from '../src/resolved-name-servers.js';
import { staticTopicsSource } from '../src/static-topics-source.js';
import { agentConfig } from './agent-fixture.js';
import { topic } from './turnable-parts.js';

describe('an agent whose name servers have one name', () => {
  it('registers with each of its addresses, of IPv4 and IPv6, and leaves the one that DNS no longer has', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
    const first = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await first.start();
    const { port } = parseSocketAddress(first.address);
    const second = createNameServer({ bindAddress: '::1', listenPort: port });
    await second.start();
    const asking = new NameServerClient();
    let addresses = ['127.0.0.1', '::1'];
    const nameServers = new ResolvedNameServers({
      source: listedNameServers([`ns.example:${port}`]),
      lookup: async () => addresses,
      everyMillis: 10_000,
      clock: systemClock,
      logger: silentLogger,
    });
    const agent = new Agent({
      config: agentConfig([], [], join(directory, 'state')),
      clock: systemClock,
      logger: silentLogger,
      parts: {
        topicSources: [staticTopicsSource(new Map([['A', topic('A')]]))],
        health: alwaysPassing,
        nameServers,
      },
    });
    const brokersAt = async (address: string) =>
      [...(await asking.getBrokerClusterInfo(address)).brokerAddrTable.keys()].join();
    try {
      const registered = new Promise<void>((resolve) => {
        agent.on('outcome', () => {
          if (agent.status.nameServers.servers.every(({ registered: isSo }) => isSo)) resolve();
        });
        agent.on('reconnect', () => {
          if (agent.status.nameServers.servers.every(({ registered: isSo }) => isSo)) resolve();
        });
      });
      await agent.start();
      await registered;
      expect(agent.status.nameServers.servers.map(({ address }) => address)).to.have.members([
        `127.0.0.1:${port}`,
        `[::1]:${port}`,
      ]);
      for (const { address } of [first, second]) expect(await brokersAt(address)).to.equal('broker-a');

      addresses = ['::1'];
      const left = new Promise<void>((resolve) => {
        first.on('change', () => resolve());
      });
      await nameServers.look();
      await left;
      expect(await brokersAt(first.address)).to.equal('');
      expect(await brokersAt(second.address)).to.equal('broker-a');
    } finally {
      await agent.stop();
      await asking.close();
      await Promise.all([first.close(), second.close()]);
      await rm(directory, { recursive: true });
    }
  });
});
