import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { BrokerRegistrar } from '../src/broker-registrar.js';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicTable } from './broker-fixture.js';
import { ScriptedNameServer } from './scripted-name-server.js';

type Step =
  | { readonly do: 'pass'; readonly millis: number }
  | { readonly do: 'turns' | 'microtasks'; readonly count: number }
  | { readonly do: 'freeze' | 'thaw' | 'drop'; readonly server: number }
  | { readonly do: 'change' | 'oneway' | 'ask' | 'swap' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('pass' as const), millis: fc.constantFrom(50, 100, 3_000, 6_000, 10_000, 30_000) }),
  fc.record({ do: fc.constantFrom('turns' as const, 'microtasks' as const), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    do: fc.constantFrom('freeze' as const, 'thaw' as const, 'drop' as const),
    server: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ do: fc.constantFrom('change' as const, 'oneway' as const, 'ask' as const, 'swap' as const) }),
);

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('a broker that leaves', () => {
  let servers: ScriptedNameServer[];
  before(async () => {
    servers = await Promise.all([1, 2, 3].map(() => ScriptedNameServer.start()));
  });
  after(() => Promise.all(servers.map((server) => server.destroy())));

  it('sends no registration after it began to leave, whatever was under way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, oneTopic) => {
        const clock = new ManualClock();
        const client = new NameServerClient({ clock });
        const sent: number[] = [];
        client.remotingClient.registerRpcHook({ doBeforeRequest: (_, { code }) => void sent.push(code) });
        for (const server of servers) server.answer = () => RemotingCommand.response(0);
        const addresses = servers.map(({ address }) => address);
        let counter = 1;
        const broker = new BrokerRegistrar({
          identity,
          nameServerAddressList: addresses,
          topics: { current: () => topicTable(counter, ...(oneTopic ? ['T1'] : ['T1', 'T2'])) },
          forceRegister: false,
          client,
        });
        void broker.start();
        for (const taken of steps) {
          if (taken.do === 'pass') clock.advance(taken.millis);
          else if (taken.do === 'turns') for (let i = 0; i < taken.count; i++) await turn();
          else if (taken.do === 'microtasks') for (let i = 0; i < taken.count; i++) await undefined;
          else if (taken.do === 'freeze') servers[taken.server]?.freeze();
          else if (taken.do === 'thaw')
            (servers[taken.server] as ScriptedNameServer).answer = () => RemotingCommand.response(0);
          else if (taken.do === 'drop') servers[taken.server]?.dropConnections();
          else if (taken.do === 'change') {
            counter++;
            void broker.topicsChanged();
          } else if (taken.do === 'oneway') void broker.registerBrokerAll(false, true, true);
          else if (taken.do === 'ask') void broker.registerBrokerAll(true, false, false);
          else {
            broker.updateNameServerAddressList(addresses.slice(1));
            broker.updateNameServerAddressList(addresses);
          }
        }
        const before = sent.length;
        let done = false;
        const left = broker.shutdown().finally(() => (done = true));
        void broker.topicsChanged();
        broker.updateNameServerAddressList(addresses.slice(0, 1));
        while (!done) {
          clock.advance(500);
          await turn();
        }
        await left;
        clock.advance(60_000);
        await turn();
        await client.remotingClient.destroy();
        expect(sent.slice(before)).not.to.include(RequestCode.REGISTER_BROKER);
        expect(clock.pendingTimers).to.equal(0);
      }),
      { numRuns: 60, interruptAfterTimeLimit: 6_000 },
    );
  });
});
