import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { NameServerClient } from '@rmqns/namesrv-client';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { freePort } from '@rmqns/test-kit';
import { expect } from 'chai';
import fc from 'fast-check';
import { Agent } from '../src/agent.js';
import { agentConfig } from './agent-fixture.js';
import { TurnableHealth, TurnableNameServers, TurnableTopics } from './turnable-parts.js';

const SERVERS = [0, 1, 2] as const;
const topics = ['A', 'B', 'C', 'D'] as const;

type Step =
  | { readonly do: 'topics'; readonly names: readonly string[] }
  | { readonly do: 'health'; readonly passes: boolean }
  | { readonly do: 'restart'; readonly server: number }
  | { readonly do: 'stop'; readonly server: number }
  | { readonly do: 'forget'; readonly server: number }
  | { readonly do: 'list'; readonly servers: readonly number[] }
  | { readonly do: 'jump'; readonly millis: number }
  | { readonly do: 'pass'; readonly millis: number }
  | { readonly do: 'role'; readonly brokerId: number };

const server = fc.constantFrom(...SERVERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('topics' as const), names: fc.subarray([...topics]) }),
  fc.record({ do: fc.constant('health' as const), passes: fc.boolean() }),
  fc.record({ do: fc.constant('restart' as const), server }),
  fc.record({ do: fc.constant('stop' as const), server }),
  fc.record({ do: fc.constant('forget' as const), server }),
  fc.record({ do: fc.constant('list' as const), servers: fc.subarray([...SERVERS], { minLength: 1 }) }),
  fc.record({ do: fc.constant('jump' as const), millis: fc.constantFrom(-86_400_000, -1_000, 1_000, 86_400_000) }),
  fc.record({ do: fc.constant('pass' as const), millis: fc.constantFrom(1, 200, 5_000, 10_000, 31_000) }),
  fc.record({ do: fc.constant('role' as const), brokerId: fc.constantFrom(0, 1) }),
);

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

/** Name servers that a test stops and restarts on their ports. */
class NameServers {
  readonly #ports: readonly number[];
  readonly running: (NameServer | undefined)[] = SERVERS.map(() => undefined);
  readonly asking = new NameServerClient();

  readonly #deletes: boolean;

  private constructor(ports: readonly number[], deletes: boolean) {
    this.#deletes = deletes;
    this.#ports = ports;
  }

  /** @param deletes whether topics go from the routes that the node no longer has; Apache's keep them, and so does ours by default */
  static async start(deletes: boolean): Promise<NameServers> {
    const servers = new NameServers(await Promise.all(SERVERS.map(() => freePort())), deletes);
    for (const index of SERVERS) await servers.start(index);
    return servers;
  }

  address(index: number): string {
    return `127.0.0.1:${this.#ports[index]}`;
  }

  async start(index: number): Promise<void> {
    if (this.running[index] !== undefined) return;
    const options = { bindAddress: '127.0.0.1', deleteTopicWithBrokerRegistration: this.#deletes };
    const started = createNameServer({ ...options, listenPort: this.#ports[index] ?? 0 });
    await started.start();
    this.running[index] = started;
  }

  async stop(index: number): Promise<void> {
    await this.running[index]?.close();
    this.running[index] = undefined;
  }

  /** What a name server has of the node: its id and, from masters alone, its topics; `undefined`: nothing. */
  async routes(index: number, among: readonly string[]): Promise<unknown> {
    const address = this.address(index);
    const { brokerAddrTable } = await this.asking.getBrokerClusterInfo(address);
    const members = brokerAddrTable.get('broker-a');
    if (members === undefined) return undefined;
    const { topicList: all } = await this.asking.getAllTopicListFromNameserver(address);
    const topicList = [...all].filter((name) => this.#deletes || among.includes(name));
    return members.brokerAddrs.has(0)
      ? { members: [...members.brokerAddrs], topics: topicList.sort() }
      : { members: [...members.brokerAddrs] };
  }

  async close(): Promise<void> {
    await this.asking.close();
    for (const index of SERVERS) await this.stop(index);
  }
}

for (const changesOnly of [false, true])
  describe(`an agent to which everything happens${changesOnly ? ', and that sends changes alone' : ''}`, () => {
    let servers: NameServers;
    before(async () => {
      servers = await NameServers.start(!changesOnly);
    });
    after(() => servers.close());

    it('has, once the dust has settled, the routes of its topics at every name server of its list, and none where it is not to be', async function () {
      this.timeout(60_000);
      const runs = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        for (const index of SERVERS) await servers.start(index);
        const directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
        const clock = new ManualClock();
        const topicSource = new TurnableTopics();
        const health = new TurnableHealth();
        const nameServers = new TurnableNameServers();
        const model = {
          topics: ['A', 'B'] as readonly string[],
          passes: true,
          list: [0, 1, 2] as readonly number[],
          brokerId: 0,
        };
        topicSource.turn(...model.topics);
        health.turn('passing');
        nameServers.turn(SERVERS.map((index) => servers.address(index)));
        const usual = agentConfig([], [], join(directory, 'state'));
        const config = { ...usual, register: { ...usual.register, changesOnly } };
        const parts = { topicSources: [topicSource], health, nameServers };
        const agent = new Agent({ config, clock, logger: silentLogger, parts });
        await agent.start();
        for (const taken of steps) {
          if (taken.do === 'topics') {
            model.topics = taken.names;
            topicSource.turn(...taken.names);
          } else if (taken.do === 'health') {
            model.passes = taken.passes;
            health.turn(taken.passes ? 'passing' : 'failing');
          } else if (taken.do === 'restart') {
            await servers.stop(taken.server);
            await servers.start(taken.server);
          } else if (taken.do === 'stop') {
            await servers.stop(taken.server);
          } else if (taken.do === 'forget') {
            if (servers.running[taken.server] !== undefined)
              await servers.asking.unregisterBroker(servers.address(taken.server), config.identity);
          } else if (taken.do === 'list') {
            model.list = taken.servers;
            nameServers.turn(taken.servers.map((index) => servers.address(index)));
          } else if (taken.do === 'jump') clock.jump(taken.millis);
          else if (taken.do === 'role') {
            model.brokerId = taken.brokerId;
            void agent.updateIdentity({ ...config.identity, brokerId: taken.brokerId });
          } else await clock.advanceAsync(taken.millis, Math.max(1, Math.min(taken.millis, 250)));
        }
        for (const index of SERVERS) await servers.start(index);
        // The disk has no part in the clock.
        const published = (): string => [...(agent.published?.topicConfigTable?.keys() ?? [])].sort().join();
        while (published() !== [...model.topics].sort().join()) await turn();
        const expected = SERVERS.map((index) =>
          model.passes && model.list.includes(index)
            ? {
                members: [[model.brokerId, '10.0.0.1:10911']],
                ...(model.brokerId === 0 ? { topics: [...model.topics].sort() } : {}),
              }
            : undefined,
        );
        /** Time goes on only until all is as it is to be. */
        const settled = async (wanted: readonly unknown[], millis: number): Promise<void> => {
          const seen = async (): Promise<unknown[]> =>
            await Promise.all(SERVERS.map((index) => servers.routes(index, model.topics)));
          for (let passed = 0; passed < millis; passed += 250) {
            if (passed % 5_000 === 0 && JSON.stringify(await seen()) === JSON.stringify(wanted)) return;
            await clock.advanceAsync(250);
            await turn();
          }
          if (JSON.stringify(await seen()) !== JSON.stringify(wanted))
            throw new Error(`${JSON.stringify(await seen())} is not ${JSON.stringify(wanted)}`);
        };
        try {
          await settled(expected, 90_000);
        } finally {
          const stopped = agent.stop();
          let isStopped = false;
          void stopped.finally(() => (isStopped = true));
          while (!isStopped) {
            await turn();
            clock.advance(10);
          }
          await rm(directory, { recursive: true });
        }
        await settled([undefined, undefined, undefined], 1_000);
        expect(clock.pendingTimers).to.equal(0);
      });
      await fc.assert(runs, {
        numRuns: Number(process.env['RUNS'] ?? 40),
        interruptAfterTimeLimit: Number(process.env['LIMIT'] ?? 20_000),
      });
    });
  });
