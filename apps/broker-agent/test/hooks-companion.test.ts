import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { AgentService } from '../src/agent-service.js';
import { type HooksConfig, hookEvents } from '../src/hook-config.js';
import { HooksCompanion } from '../src/hooks-companion.js';
import { agentConfig, Scratch } from './agent-fixture.js';

type Told = Readonly<Record<string, unknown>>;

describe('the hooks of an agent', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let server: NameServer;
  let receiver: Server;
  let told: Told[];
  let onTold: () => void;
  /** What is told is answered after this. */
  let answering: Promise<void>;
  let service: AgentService | undefined;

  beforeEach(async () => {
    scratch = new Scratch();
    clock = new ManualClock(0);
    server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await server.start();
    told = [];
    onTold = () => {};
    answering = Promise.resolve();
    receiver = createServer((request, response) => {
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => {
          void answering.then(() => response.end());
          told.push(JSON.parse(body));
          onTold();
        });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  afterEach(async () => {
    await service?.stop();
    await server.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    scratch[Symbol.dispose]();
  });

  async function next(event: string): Promise<Told> {
    for (;;) {
      const found = told.find((one) => one['event'] === event);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        onTold = resolve;
      });
    }
  }

  const webhooks = (): HooksConfig => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?key=secret`;
    return Object.fromEntries(hookEvents.map((event) => [event, [{ kind: 'webhook', url, timeoutMillis: 5_000 }]]));
  };
  const config = (topics: readonly string[], hooks: HooksConfig = webhooks()) => ({
    ...agentConfig([server.address], topics, join(scratch.path, 'state')),
    hooks,
  });

  it('are told of topics and of rounds, each that goes otherwise than the one before', async () => {
    service = new AgentService({ config: config(['A', 'B']), clock, logger: silentLogger });
    service.add(new HooksCompanion({ clock, logger: silentLogger }));
    await service.start();
    const who = { clusterName: 'C', brokerName: 'broker-a', brokerId: 0, brokerAddr: '10.0.0.1:10911' };
    const registered = await next('onRegistered');
    expect(registered).to.deep.include({ ...who, registered: [server.address], failed: [] });
    expect(registered['time']).to.equal('1970-01-01T00:00:00.000Z');
    await clock.advanceAsync(70_000, 1_000);
    expect(told.filter(({ event }) => event === 'onRegistered')).to.have.length(1);
    await server.close();
    await clock.advanceAsync(70_000, 1_000);
    expect(await next('onFailed')).to.deep.include({ registered: [] });
    await service.reload(config(['C', 'D', 'E']));
  });

  it('that are gone with a new configuration are told first what happened before', async () => {
    let answer = (): void => {};
    answering = new Promise((resolve) => {
      answer = resolve;
    });
    service = new AgentService({ config: config(['A', 'B']), clock, logger: silentLogger });
    service.add(new HooksCompanion({ clock, logger: silentLogger }));
    await service.start();
    for (const topics of [['C'], ['C', 'D'], ['C', 'D', 'E']]) await service.reload(config(topics));
    await next('onTopicsChanged');
    await service.reload(config(['C', 'D', 'E'], {}));
    answer();
    const counts = (): unknown[] => told.flatMap(({ event, count }) => (event === 'onTopicsChanged' ? [count] : []));
    while (counts().length < 3)
      await new Promise<void>((resolve) => {
        onTold = resolve;
      });
    expect(counts()).to.deep.equal([1, 2, 3]);
  });

  it('are told of the health of the node', async () => {
    const probe = {
      kind: 'tcp' as const,
      address: server.address,
      everyMillis: 1_000,
      timeoutMillis: 900,
      rise: 1,
      fall: 1,
    };
    const probing = { mode: 'all' as const, initial: 'failing' as const, probes: [probe] };
    const given = { ...config(['A', 'B']), health: { onFailing: 'keep' as const, probing } };
    service = new AgentService({ config: given, clock, logger: silentLogger });
    service.add(new HooksCompanion({ clock, logger: silentLogger }));
    await service.start();
    expect(await next('onHealthChanged')).to.include({ health: 'passing' });
  });

  it('are told of another node with our name and id', async () => {
    const mine = new AgentService({ config: config(['A', 'B'], {}), clock, logger: silentLogger });
    await mine.start();
    await new Promise((resolve) => server.once('change', resolve));
    const other = { ...config(['A', 'B']), stateDirectory: join(scratch.path, 'other') };
    const identity = { ...other.identity, brokerAddr: '10.0.0.9:10911' };
    service = new AgentService({ config: { ...other, identity }, clock, logger: silentLogger });
    service.add(new HooksCompanion({ clock, logger: silentLogger }));
    await service.start();
    expect(await next('onConflict')).to.deep.include({ namesrv: server.address, holderAddr: '10.0.0.1:10911' });
    await mine.stop();
  });

  it('are told of what a new configuration brings: other topics, and who holds our name where the list says to register now', async () => {
    const elsewhere = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0 });
    await elsewhere.start();
    const held = { ...config(['A', 'B'], {}), namesrvAddresses: [elsewhere.address] };
    const identity = { ...held.identity, brokerAddr: '10.0.0.9:10911' };
    const stateDirectory = join(scratch.path, 'other');
    const other = new AgentService({ config: { ...held, identity, stateDirectory }, clock, logger: silentLogger });
    try {
      const isHeld = new Promise((resolve) => elsewhere.once('change', resolve));
      await other.start();
      await isHeld;
      service = new AgentService({ config: config(['A', 'B']), clock, logger: silentLogger });
      service.add(new HooksCompanion({ clock, logger: silentLogger }));
      await service.start();
      await next('onRegistered');
      await service.reload({ ...config(['C', 'D', 'E']), namesrvAddresses: [server.address, elsewhere.address] });
      expect(await next('onTopicsChanged')).to.deep.include({ count: 3, topics: ['C', 'D', 'E'] });
      const holder = { namesrv: elsewhere.address, holderAddr: '10.0.0.9:10911' };
      expect(await next('onConflict')).to.deep.include(holder);
      expect(await next('onPartial')).to.deep.include({ registered: [server.address] });
    } finally {
      await other.stop();
      await elsewhere.close();
    }
  });
});
