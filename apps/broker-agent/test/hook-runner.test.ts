import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { hookMessage } from '../src/hook-message.js';
import { HookRunner } from '../src/hook-runner.js';
import { agentConfig, Scratch } from './agent-fixture.js';

const { identity } = agentConfig([], [], '');
const message = hookMessage('onHealthChanged', identity, 0, { health: 'failing\n', probes: [], counter: 2n ** 60n });

describe('a hook', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let results: string[];
  let onResult: (result: string) => void;
  beforeEach(() => {
    scratch = new Scratch();
    clock = new ManualClock(0);
    results = [];
    onResult = () => {};
  });
  afterEach(() => {
    scratch[Symbol.dispose]();
    expect(clock.pendingTimers).to.equal(0);
  });

  const runner = (command: readonly string[], timeoutMillis = 5_000): HookRunner =>
    new HookRunner({
      hook: { kind: 'exec', command, timeoutMillis },
      clock,
      logger: silentLogger,
      onResult: (_, result) => {
        results.push(result);
        onResult(result);
      },
    });
  const sh = (script: string): string[] => ['/bin/sh', '-c', script, scratch.path];
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onResult = () => results.length >= count && resolve();
      onResult('');
    });
  const alive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const pidIn = (path: string): Promise<number> =>
    eventually(async () => (existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) || undefined : undefined), {
      what: 'the id of a process',
      timeoutMillis: 5_000,
      intervalMillis: 5,
    });
  const gone = (pid: number): Promise<true> =>
    eventually(async () => (alive(pid) ? undefined : true), {
      what: 'the end of the process',
      timeoutMillis: 5_000,
      intervalMillis: 5,
    });

  it('has the message on stdin and its plain fields as variables', async () => {
    runner(sh('cat > "$0/stdin"; env | grep ^RMQ_AGENT_ | sort > "$0/env"')).run(message);
    await until(1);
    expect(results).to.deep.equal(['ok']);
    expect(readFileSync(join(scratch.path, 'stdin'), 'utf8')).to.equal(message.json);
    expect(JSON.parse(message.json)).to.deep.equal({
      event: 'onHealthChanged',
      time: '1970-01-01T00:00:00.000Z',
      clusterName: 'C',
      brokerName: 'broker-a',
      brokerId: 0,
      brokerAddr: '10.0.0.1:10911',
      health: 'failing\n',
      probes: [],
      counter: '1152921504606846976',
    });
    expect(readFileSync(join(scratch.path, 'env'), 'utf8').split('\n')).to.deep.equal([
      'RMQ_AGENT_BROKER_ADDR=10.0.0.1:10911',
      'RMQ_AGENT_BROKER_ID=0',
      'RMQ_AGENT_BROKER_NAME=broker-a',
      'RMQ_AGENT_CLUSTER_NAME=C',
      'RMQ_AGENT_COUNTER=1152921504606846976',
      'RMQ_AGENT_EVENT=onHealthChanged',
      'RMQ_AGENT_HEALTH=failing ',
      'RMQ_AGENT_TIME=1970-01-01T00:00:00.000Z',
      '',
    ]);
  });

  it('runs once at a time and in order, and drops the oldest of more than 100 that wait', async () => {
    const hook = runner(sh('cat >> "$0/all"'));
    for (let number = 0; number < 103; number += 1) hook.run({ json: `${number}\n`, variables: {} });
    await until(103);
    expect(results.filter((result) => result === 'dropped')).to.have.length(2);
    const numbers = readFileSync(join(scratch.path, 'all'), 'utf8').trim().split('\n').map(Number);
    expect(numbers).to.deep.equal([0, ...Array.from({ length: 100 }, (_, index) => index + 3)]);
  });

  it('is killed with all that it started when its time is over, and the next runs', async () => {
    const hook = runner(sh('[ -e "$0/pid" ] && exit 0; sleep 1000 & echo $! > "$0/pid"; wait'), 1_000);
    hook.run(message);
    hook.run(message);
    const pid = await pidIn(join(scratch.path, 'pid'));
    await clock.advanceAsync(1_000, 1_000);
    await until(2);
    expect(results).to.deep.equal(['timeout', 'ok']);
    await gone(pid);
  });

  it('is killed when the agent stops, what waits is not run, and all of it counts as dropped', async () => {
    const hook = runner(sh('sleep 1000 & echo $! > "$0/pid"; wait'));
    hook.run(message);
    hook.run(message);
    const pid = await pidIn(join(scratch.path, 'pid'));
    hook.close();
    hook.run(message);
    await gone(pid);
    expect(results).to.deep.equal(['dropped', 'dropped']);
  });

  it('that fails, or is not there, or reads nothing of a large message, does no harm', async () => {
    const failing = runner(sh('exit 3'));
    failing.run({ json: 'x'.repeat(1_000_000), variables: {} });
    await until(1);
    runner(['/no/such/program']).run(message);
    await until(2);
    runner(sh('kill -9 $$')).run(message);
    await until(3);
    expect(results).to.deep.equal(['failed', 'failed', 'failed']);
  });

  it('may say as much as it likes', async () => {
    runner(sh('head -c 1000000 /dev/zero; cat > "$0/stdin"')).run(message);
    await until(1);
    expect(results).to.deep.equal(['ok']);
    expect(readFileSync(join(scratch.path, 'stdin'), 'utf8')).to.equal(message.json);
  });

  it('that is a URL shows nothing of its query, and fails where nobody answers', async () => {
    const mute = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('HTTP/1.1 500 no\r\n\r\n'),
    );
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const names: string[] = [];
    const hook = new HookRunner({
      hook: { kind: 'webhook', url: `http://u:p@127.0.0.1:${port}/x?key=secret`, timeoutMillis: 5_000 },
      clock,
      logger: silentLogger,
      onResult: (name, result) => {
        names.push(name);
        results.push(result);
        onResult(result);
      },
    });
    hook.run(message);
    await until(1);
    mute.close();
    await once(mute, 'close');
    hook.run(message);
    await until(2);
    expect(results).to.deep.equal(['failed', 'failed']);
    expect(names[0]).to.equal(`webhook http://127.0.0.1:${port}/x`);
  });
});
