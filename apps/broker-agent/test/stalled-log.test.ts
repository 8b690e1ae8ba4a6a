import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { AgentHome, main, nextEvent } from './agent-home.js';

/** A pipe that takes not one byte more. */
function fullPipe(path: string): number {
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  for (;;) {
    try {
      writeSync(pipe, Buffer.alloc(4_096));
    } catch {
      return pipe;
    }
  }
}

describe('rmq-agent with a log that nobody reads', () => {
  it('registers, leaves, and stops with 0 within seconds', async () => {
    await using home = new AgentHome();
    const server = await home.nameServer();
    const registered = nextEvent(server, 'broker.registered');
    const pipe = fullPipe(join(home.path, 'log'));
    const agent = spawn(process.execPath, [main, '-c', home.yaml([server.address], ['A'])], {
      cwd: home.path,
      env: { HOME: home.path },
      stdio: ['ignore', pipe, 'ignore'],
    });
    try {
      await registered;
      const left = nextEvent(server, 'broker.unregistered');
      const began = performance.now();
      agent.kill('SIGTERM');
      const [code] = await once(agent, 'exit');
      expect(code).to.equal(0);
      expect(performance.now() - began).to.be.below(4_000);
      await left;
    } finally {
      agent.kill('SIGKILL');
      closeSync(pipe);
    }
  });
});
