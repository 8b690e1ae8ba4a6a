import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { BrokerRegistrar } from '../src/broker-registrar.js';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicTable } from './broker-fixture.js';
import { registeredBody, ScriptedNameServer } from './scripted-name-server.js';

const PERIOD_MILLIS = 10_000;

type Step = { readonly do: 'freeze' | 'thaw' | 'drop' | 'change' } | { readonly do: 'pass'; readonly millis: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('freeze' as const, 'thaw' as const, 'drop' as const) }),
  fc.record({ do: fc.constant('change' as const) }),
  fc.record({ do: fc.constant('pass' as const), millis: fc.constantFrom(1, 500, 3_000, 6_000, 10_000, 25_000) }),
);

const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe('a name server that hangs for any time', () => {
  let servers: [ScriptedNameServer, ScriptedNameServer, ScriptedNameServer];
  before(async () => {
    const [a, b, c] = [ScriptedNameServer.start(), ScriptedNameServer.start(), ScriptedNameServer.start()];
    servers = [await a, await b, await c];
  });
  after(() => Promise.all(servers.map((server) => server.destroy())));

  it('keeps no other waiting: each change is sent within a turn, each period’s registration on time, one after the other', async () => {
    const runs = fc.asyncProperty(
      fc.array(step, { maxLength: 10 }),
      fc.constantFrom(3_000, 6_000, 24_000, 60_000),
      async (steps, timeoutMillis) => {
        const clock = new ManualClock();
        const client = new NameServerClient({ clock });
        const [sick, ...well] = servers;
        /** What is sent to each: the time, and the version of the table. */
        const sent = new Map<
          string,
          { readonly millis: number; readonly counter: number | bigint | null | undefined }[]
        >();
        const busy = new Map<string, number>();
        const codes: number[] = [];
        let overlaps = 0;
        client.remotingClient.registerRpcHook({
          doBeforeRequest: (address, request) => {
            codes.push(request.code);
            if (request.code !== RequestCode.REGISTER_BROKER) return;
            const { counter } = registeredBody(request).topicConfigSerializeWrapper.dataVersion;
            sent.set(address, [...(sent.get(address) ?? []), { millis: clock.monotonic(), counter }]);
            busy.set(address, (busy.get(address) ?? 0) + 1);
            if (address !== sick.address && busy.get(address) !== 1) overlaps++;
          },
          doAfterResponse: (address) => void busy.set(address, (busy.get(address) ?? 0) - 1),
        });
        for (const server of servers) server.answer = () => RemotingCommand.response(0);
        let counter = 1;
        const broker = new BrokerRegistrar({
          identity,
          nameServerAddressList: servers.map(({ address }) => address),
          topics: { current: () => topicTable(counter, 'T1', 'T2') },
          registerNameServerPeriodMillis: PERIOD_MILLIS,
          registerBrokerTimeoutMillis: timeoutMillis,
          client,
          random: () => 0,
        });
        const answers = async (): Promise<void> => {
          while (well.some(({ address }) => busy.get(address) !== 0)) await turn();
        };
        /** One more to each of those that are well, now. */
        const oneMore = async (act: () => void): Promise<void> => {
          const before = well.map(({ address }) => sent.get(address)?.length ?? 0);
          act();
          await turn();
          well.forEach(({ address }, i) => {
            const all = sent.get(address) ?? [];
            expect(all).to.have.lengthOf((before[i] as number) + 1);
            expect(all.at(-1)).to.deep.equal({ millis: clock.monotonic(), counter });
          });
          await answers();
        };

        const started = broker.start();
        while (sent.size < servers.length) await turn();
        await answers();
        for (const taken of steps) {
          if (taken.do === 'pass') {
            const end = clock.monotonic() + taken.millis;
            for (;;) {
              const toPeriod = PERIOD_MILLIS - (clock.monotonic() % PERIOD_MILLIS);
              if (clock.monotonic() + toPeriod > end) break;
              await oneMore(() => clock.advance(toPeriod));
            }
            const before = well.map(({ address }) => sent.get(address)?.length);
            clock.advance(end - clock.monotonic());
            await turn();
            expect(well.map(({ address }) => sent.get(address)?.length)).to.deep.equal(before);
          } else if (taken.do === 'freeze') sick.freeze();
          else if (taken.do === 'thaw') sick.answer = () => RemotingCommand.response(0);
          else if (taken.do === 'drop') sick.dropConnections();
          else {
            await oneMore(() => {
              counter++;
              void broker.topicsChanged();
            });
          }
        }
        const before = codes.length;
        const left = broker.shutdown();
        let done = false;
        void left.finally(() => (done = true));
        void broker.topicsChanged();
        while (!done) {
          clock.advance(500);
          await turn();
        }
        await started;
        clock.advance(120_000);
        await turn();
        await client.remotingClient.destroy();
        expect(codes.slice(before)).not.to.include(RequestCode.REGISTER_BROKER);
        const versions = (sent.get(sick.address) ?? []).map(({ counter }) => Number(counter));
        expect(versions).to.deep.equal([...versions].sort((a, b) => a - b));
        expect(overlaps).to.equal(0);
        expect(clock.pendingTimers).to.equal(0);
      },
    );
    await fc.assert(runs, { numRuns: 60, interruptAfterTimeLimit: 6_000 });
  });
});
