import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { ManualClock } from '../../src/testing.js';
import { until } from './raw-server.js';

const index = new URL('../../src/index.js', import.meta.url).href;
const program = `
  import { RemotingServer } from ${JSON.stringify(index)};
  const server = new RemotingServer();
  server.registerDefaultProcessor({ processRequest: () => new Promise(() => {}) });
  await server.start();
  process.stdout.write(server.address);`;

describe('A server process that is frozen and then killed', () => {
  it('ends the calls that wait for it without a timer: CONNECTION_CLOSED, and nothing is left (W1)', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const clock = new ManualClock();
    const client = new RemotingClient({ clock });
    try {
      const [data] = (await once(child.stdout, 'data')) as [Buffer];
      const address = data.toString();
      await client.connect(address);
      child.kill('SIGSTOP');
      const calls = Array.from({ length: 20 }, () =>
        client.invokeSync(address, RemotingCommand.request(1), 60_000).catch((error: RemotingError) => error.code),
      );
      await until(() => client.describe().channels[0]?.pendingBytes === 0);
      expect(client.describe().channels[0]?.pendingCalls).to.equal(20);
      child.kill('SIGKILL');
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(['CONNECTION_CLOSED']));
      const { pendingCalls, channels, callsInFlight } = client.describe();
      expect([pendingCalls, channels, callsInFlight]).to.deep.equal([{}, [], 0]);
      expect([clock.monotonic(), clock.pendingTimers]).to.deep.equal([0, 0]);
    } finally {
      child.kill('SIGKILL');
      await client.destroy();
    }
  });
});
