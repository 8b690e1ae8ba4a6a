import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
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

  constructor(args: readonly string[] = [], directory = root) {
    this.#child = spawn('npm', ['start', '--silent', ...args], {
      cwd: directory,
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

/** Takes a port, unless somebody else has it, which is as good. */
async function take(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => {});
  return server;
}

/** The sources of this checkout alone, so that the first build lies ahead. */
function copyUnbuilt(directory: string): void {
  const isSource = (path: string): boolean => !/\/(?:dist|test|node_modules)$/.test(path);
  for (const each of ['packages', 'apps', 'examples', 'scripts', 'package.json', '.npmrc', 'tsconfig.base.json'])
    cpSync(join(root, each), join(directory, each), { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
}

describe('npm start', function () {
  this.timeout(60_000);
  let started: NpmStart;
  afterEach(() => started.remove());

  /** The ports of name server and storage node. */
  const ports = async (): Promise<[namesrv: number, node: number]> => {
    const [, namesrv, node] = await started.match(
      /Name server {4}127\.0\.0\.1:(\d+)\n {2}Storage node {3}127\.0\.0\.1:(\d+), /,
    );
    return [Number(namesrv), Number(node)];
  };
  const expectNothingLeft = async (used: readonly number[]): Promise<void> => {
    expect(started.leavesProcesses).to.equal(false);
    expect(started.leftFiles).to.deep.equal([]);
    for (const port of used) await expectFree(port);
  };

  it('with --once prints a route, a message that went along it and what to try next, then ends with 0 and leaves nothing', async () => {
    started = new NpmStart(['--', '--once']);
    expect(await started.ended).to.equal(0);
    const [namesrv, node] = await ports();
    expect(started.output).to.match(new RegExp(`\\n {4}storage-node {2}0=127\\.0\\.0\\.1:${node} {2}4 +4 +rw\\n`));
    expect(started.output).to.match(/\n {4}"Hello from npm start" {2}queue 0, offset 0, id 7F000001[0-9A-F]{24}\n/);
    expect(started.output).to.include(`mqadmin topicRoute -n 127.0.0.1:${namesrv} -t SampleTopic`);
    await expectNothingLeft([namesrv, node]);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`serves until ${signal} to npm, then leaves no process, port or file behind`, async () => {
      started = new NpmStart();
      const used = await ports();
      await started.match(/Serving until Ctrl-C/);
      expect(started.leftFiles).to.have.length(1);
      started.kill(signal);
      expect(await started.ended).to.equal(0);
      await expectNothingLeft(used);
    });

  it('leaves no process or file behind when SIGTERM comes during the first build', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    try {
      copyUnbuilt(checkout);
      started = new NpmStart([], checkout);
      await started.match(/Building, for the first time only/);
      started.kill('SIGTERM');
      expect(await started.ended).to.equal(0);
      await expectNothingLeft([]);
      expect(started.output).to.equal('Building, for the first time only ...\n');
    } finally {
      rmSync(checkout, { recursive: true });
    }
  });

  it('says so and takes the next ports when 9876 and 10911 are taken', async () => {
    const taken = [await take(9876), await take(10911)];
    started = new NpmStart(['--', '--once']);
    expect(await started.ended).to.equal(0);
    expect(started.output).to.include('Port 9876 is taken by another program; trying 9877.\n');
    expect(started.output).to.include('Port 10911 is taken by another program; trying 10912.\n');
    const [namesrv, node] = await ports();
    expect(namesrv).to.be.greaterThan(9876);
    expect(node).to.be.greaterThan(10911);
    for (const server of taken) server.close();
  });

  it('refuses arguments that it does not know in one sentence', async () => {
    started = new NpmStart(['--', '--twice']);
    expect(await started.ended).to.equal(1);
    expect(started.output).to.equal('npm start: unknown argument --twice; there is only --once\n');
  });
});
