import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `npm start` in its own process group, with its own directory for temporary files. */
class NpmStart {
  readonly temporaryDirectory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  readonly #child: ChildProcess;
  output = '';
  readonly ended: Promise<number | NodeJS.Signals>;

  constructor(...args: readonly string[]) {
    this.#child = spawn('npm', ['start', '--silent', ...args], {
      cwd: root,
      env: { ...process.env, TMPDIR: this.temporaryDirectory, npm_config_update_notifier: 'false', NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const collect = (text: string): void => {
      this.output += text;
    };
    this.#child.stdout?.setEncoding('utf8').on('data', collect);
    this.#child.stderr?.setEncoding('utf8').on('data', collect);
    // Not `close`: a process left behind would hold the pipes, and is to be found by the group instead.
    this.ended = once(this.#child, 'exit').then(([code, signal]) => code ?? signal);
  }

  /** The first match in the output, as soon as it is there. */
  async match(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      const event = await Promise.race([
        this.ended,
        once(this.#child.stdout as NodeJS.EventEmitter, 'data').then(() => undefined),
      ]);
      if (event !== undefined && !pattern.test(this.output)) throw new Error(`ended with ${event}:\n${this.output}`);
    }
  }

  /** To npm alone, as `kill` does; a terminal would signal the whole group. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Whether any process of the group runs. */
  get leavesProcesses(): boolean {
    return this.#signalGroup(0);
  }

  get leftFiles(): string[] {
    return readdirSync(this.temporaryDirectory);
  }

  async remove(): Promise<void> {
    this.#signalGroup('SIGKILL');
    await this.ended;
    rmSync(this.temporaryDirectory, { recursive: true });
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-(this.#child.pid ?? 0), signal);
    } catch {
      return false;
    }
  }
}

/** Listens and stops, which fails when somebody else listens there. */
async function expectFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
}

describe('npm start', function () {
  this.timeout(60_000);
  let started: NpmStart;
  afterEach(() => started.remove());

  it('with --once prints the route of a sample topic and what to try next, then ends with 0 and leaves nothing', async () => {
    started = new NpmStart('--', '--once');
    expect(await started.ended).to.equal(0);
    const port = Number((await started.match(/Name server {4}127\.0\.0\.1:(\d+)\n/))[1]);
    expect(started.output).to.match(/\n {4}sample-broker {2}0=127\.0\.0\.1:10911 {2}4 +4 +rw\n/);
    expect(started.output).to.include(`mqadmin topicRoute -n 127.0.0.1:${port} -t SampleTopic`);
    expect(started.leavesProcesses).to.equal(false);
    expect(started.leftFiles).to.deep.equal([]);
    await expectFree(port);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`serves until ${signal} to npm, then leaves no process, port or file behind`, async () => {
      started = new NpmStart();
      const port = Number((await started.match(/Name server {4}127\.0\.0\.1:(\d+)\n/))[1]);
      await started.match(/Serving until Ctrl-C/);
      expect(started.leftFiles).to.have.length(1);
      started.kill(signal);
      await started.ended;
      expect(started.leavesProcesses).to.equal(false);
      expect(started.leftFiles).to.deep.equal([]);
      await expectFree(port);
    });

  it('says so and takes the next port when 9876 is taken', async () => {
    const taken = createServer().listen(9876, '127.0.0.1');
    // Taken by somebody else is as good.
    await Promise.race([once(taken, 'listening'), once(taken, 'error')]).catch(() => {});
    started = new NpmStart('--', '--once');
    expect(await started.ended).to.equal(0);
    expect(started.output).to.include('Port 9876 is taken by another program; trying 9877.\n');
    expect(Number((await started.match(/Name server {4}127\.0\.0\.1:(\d+)\n/))[1])).to.be.greaterThan(9876);
    taken.close();
  });
});
