import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { CapturedProcess } from '@rmqns/test-kit';
import { expect } from 'chai';
import { AgentHome, main } from './agent-home.js';

describe('rmq-agent with its configuration from a pipe', () => {
  let home: AgentHome;
  beforeEach(() => {
    home = new AgentHome();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  /** Runs a line of shell in which $agent is the agent without admin pages and $file a configuration. */
  const shell = (file: string, line: string): CapturedProcess =>
    home.agent(['-c', line], {
      command: '/bin/sh',
      env: { file, agent: `${process.execPath} ${main} --admin-port 0` },
    });

  for (const [what, line] of [
    ['standard input', 'cat "$file" | $agent -c /dev/stdin'],
    ['standard input that is a file', '$agent -c /dev/stdin < "$file"'],
    ['a pipe of the shell whose writer is gone', 'cat "$file" | { exec $agent -c /dev/fd/3 3<&0; }'],
  ] as const) {
    it(`validates, shows and registers once what comes from ${what}`, async () => {
      const server = await home.nameServer();
      const file = home.yaml([server.address], ['A', 'B']);
      for (const [mode, said] of [
        ['validate', /can be used/],
        ['--dry-run', /code: 103 REGISTER_BROKER/],
        ['topics', /^A +4/m],
        ['--once', /registered with 1 of 1 name servers/],
      ] as const) {
        const ended = shell(file, line.replace('$agent', `$agent ${mode}`));
        expect((await ended.waitForExit(8_000)).code).to.equal(0);
        expect(ended.output).to.match(said);
      }
    }).timeout(20_000);
  }

  it('runs with it, and says at SIGHUP that it cannot be read again', async () => {
    const server = await home.nameServer();
    const file = home.yaml([server.address], ['A', 'B']);
    const agent = shell(file, 'mkfifo pipe; cat "$file" > pipe & exec $agent -c pipe');
    await agent.waitForOutput(/registered with 1 of 1 name servers/, 8_000);
    agent.signal('SIGHUP');
    await agent.waitForOutput(/the former one stays: .* pipe: it is no regular file, .*start the agent again/, 8_000);
    expect(await home.topicsAt(server.address, ['A', 'B'])).to.deep.equal(['A', 'B']);
    agent.signal('SIGTERM');
    expect((await agent.waitForExit(5_000)).code).to.equal(0);
  });

  it('says what it waits for where nobody writes, and ends at once on SIGTERM', async () => {
    const path = join(home.path, 'fifo');
    execFileSync('mkfifo', [path]);
    const agent = home.agent(['-c', path]);
    await agent.waitForOutput(/rmq-agent: waiting for the configuration from .*fifo/, 8_000);
    agent.signal('SIGTERM');
    expect((await agent.waitForExit(2_000)).signal).to.equal('SIGTERM');
  });
});
