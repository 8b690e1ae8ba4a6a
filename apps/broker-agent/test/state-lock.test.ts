import { join } from 'node:path';
import { expect } from 'chai';
import { AgentHome } from './agent-home.js';
import { topicsJsonText } from './topics-json-text.js';

// Elsewhere nothing is locked.
if (process.platform === 'linux')
  describe('a second rmq-agent with the state directory of one that runs', () => {
    let home: AgentHome;
    beforeEach(() => {
      home = new AgentHome();
    });
    afterEach(() => home[Symbol.asyncDispose]());

    it('registers nothing and ends with 1, naming the process, and the node stays in the routes', async () => {
      const server = await home.nameServer();
      const file = home.yaml([server.address], ['A', 'B']);
      const first = home.agent(['-c', file]);
      await first.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
      const changes: string[] = [];
      server.on('change', ({ type }) => void changes.push(type));
      const said =
        `rmq-agent: process ${first.pid} is an agent with the same state directory, ${home.path}/state; ` +
        'two agents of one node take it out of the routes as one of them ends, so stop that one first';
      const others = [home.agent(['-c', file]), home.agent(['-c', file, '--once'])];
      for (const other of others) {
        expect(await other.waitForExit(12_000)).to.deep.equal({ code: 1, signal: null });
        expect(other.output.trim().split('\n').at(-1)).to.equal(said);
      }
      expect(changes).to.deep.equal([]);
      expect(await home.topicsAt(server.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
    }).timeout(20_000);

    it('looks at all without it', async () => {
      const server = await home.nameServer();
      const file = home.yaml([server.address], ['A', 'B']);
      await home.agent(['-c', file]).waitForOutput(/registered with 1 of 1 name servers/, 8_000);
      for (const mode of ['--dry-run', 'validate', 'topics']) {
        const other = home.agent(['-c', file, mode]);
        expect(await other.waitForExit(8_000)).to.deep.equal({ code: 0, signal: null });
      }
    });

    for (const signal of ['SIGTERM', 'SIGKILL'] as const)
      it(`takes its place once that one is ended by ${signal}`, async () => {
        const server = await home.nameServer();
        const file = home.yaml([server.address], ['A', 'B']);
        const first = home.agent(['-c', file]);
        await first.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
        const second = home.agent(['-c', file]);
        await second.waitForOutput(/another agent has the state directory, waiting/, 8_000);
        first.signal(signal);
        await second.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
        expect(await home.topicsAt(server.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
      });

    it('is refused though that one stands still and does not say its process', async () => {
      const file = home.yaml(['127.0.0.1:1'], ['A', 'B']);
      const first = home.agent(['-c', file]);
      await first.waitForOutput(/the agent started/, 8_000);
      first.signal('SIGSTOP');
      const second = home.agent(['-c', file]);
      expect((await second.waitForExit(12_000)).code).to.equal(1);
      expect(second.output).to.contain('rmq-agent: another process is an agent with the same state directory');
      first.signal('SIGCONT');
    }).timeout(20_000);

    it('does not get it by a reload either, and stays as it is', async () => {
      const server = await home.nameServer();
      await home.agent(['-c', home.yaml(['127.0.0.1:1'], ['A'])]).waitForOutput(/the agent started/, 8_000);
      const own = (directory: string): string =>
        home.write(
          'own.yaml',
          JSON.stringify({
            namesrv: { addresses: [server.address] },
            identity: { cluster: 'C', brokerName: 'broker-a', address: '127.0.0.1' },
            topics: { sources: [{ file: home.write('topics.json', topicsJsonText(['A', 'B'], 1)) }] },
            state: { dir: join(home.path, directory) },
          }),
        );
      const second = home.agent(['-c', own('own')]);
      await second.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
      own('state');
      second.signal('SIGHUP');
      await second.waitForOutput(
        /the former one stays.*same state directory|same state directory.*the former one stays/,
        8_000,
      );
      expect(await home.topicsAt(server.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
    }).timeout(20_000);
  });
