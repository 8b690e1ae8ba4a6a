import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { AgentHome } from './agent-home.js';

describe('rmq-agent with nothing there', () => {
  let home: AgentHome;
  beforeEach(() => {
    home = new AgentHome();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  it('starts, says what it waits for, registers once all is there, and follows its name servers', async () => {
    const [first, second] = [await home.nameServer(), await home.nameServer()];
    const node = await home.deadAddress();
    const file = home.write(
      'agent.yaml',
      JSON.stringify({
        namesrv: { file: 'name-servers', refresh: '1s' },
        identity: { cluster: 'C', brokerName: 'broker-a', address: '127.0.0.1' },
        topics: { sources: [{ exec: { command: ['/bin/cat', join(home.path, 'topics')], every: '1s' } }] },
        health: { probes: [{ tcp: { address: node, every: '100ms', rise: 1, fall: 1 } }] },
        state: { dir: 'state' },
      }),
    );
    const agent = home.agent(['-c', file]);
    for (const what of ['name servers', 'topics', 'the node to pass'])
      await agent.waitForOutput(new RegExp(`nothing is registered yet, waiting for ${what}"`), 8_000);

    home.write('topics', '[{"topic":"A"},{"topic":"B"}]');
    home.write('name-servers', `${first.address}\n`);
    const listener = createServer((socket) => socket.destroy());
    listener.listen(Number(node.split(':')[1]), '127.0.0.1');
    await once(listener, 'listening');
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
    expect(await home.topicsAt(first.address, ['A', 'B'])).to.deep.equal(['A', 'B']);

    home.write('name-servers', `${second.address}  # moved\n`);
    await agent.waitForOutput(/the list of name servers changed/, 8_000);
    const moved = async (): Promise<true | undefined> => {
      const [before, now] = [await home.topicsAt(first.address, []), await home.topicsAt(second.address, ['A', 'B'])];
      return before === undefined && now?.length === 2 ? true : undefined;
    };
    await eventually(moved, { what: 'the broker at the other name server', timeoutMillis: 5_000, intervalMillis: 20 });

    listener.close();
    await agent.waitForOutput(/the node fails/, 8_000);
    await eventually(async () => ((await home.topicsAt(second.address, [])) === undefined ? true : undefined), {
      what: 'no broker',
      timeoutMillis: 5_000,
      intervalMillis: 20,
    });
    expect(await agent.stop('SIGTERM', 5_000)).to.deep.equal({ code: 0, signal: null });
  });
});
