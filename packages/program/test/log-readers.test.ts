import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const program = fileURLToPath(new URL('./logging-program.js', import.meta.url));

/** What a stop may take when nobody reads the log: a second of patience, and the process's own time. */
const END_MILLIS = 3_000;

describe('the log of a program', function () {
  this.timeout(20_000);
  let directory: string;
  let child: ChildProcess | undefined;
  const files: number[] = [];
  const start = async (lines: number, stdout: 'pipe' | number): Promise<ChildProcess> => {
    const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
    child = spawn(process.execPath, [program, String(lines)], { stdio });
    await once(child.stderr as NodeJS.EventEmitter, 'data');
    return child;
  };
  const open = (path: string, flags: number): number => {
    const file = openSync(path, flags, 0o600);
    files.push(file);
    return file;
  };
  const expectEnd = async (started: ChildProcess): Promise<void> => {
    const began = performance.now();
    started.kill('SIGTERM');
    const [code] = await once(started, 'exit');
    expect(code).to.equal(0);
    expect(performance.now() - began).to.be.below(END_MILLIS);
  };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    for (const file of files.splice(0)) closeSync(file);
    rmSync(directory, { recursive: true });
  });

  for (const lines of [200, 20_000])
    it(`does not keep the process from ending when nobody reads the pipe that has ${lines} lines of it`, async () => {
      const path = join(directory, 'fifo');
      execFileSync('mkfifo', [path]);
      await expectEnd(await start(lines, open(path, constants.O_RDWR)));
    });

  it('does not keep the process from ending when nobody reads the socket', async () => {
    const started = await start(20_000, 'pipe');
    started.stdout?.pause();
    await expectEnd(started);
  });

  it('does not keep the process from running when the reader goes away', async () => {
    const started = await start(20_000, 'pipe');
    started.stdout?.destroy();
    await expectEnd(started);
  });

  it('is whole and in order in a file', async () => {
    const path = join(directory, 'log');
    await expectEnd(await start(2_000, open(path, constants.O_WRONLY | constants.O_CREAT)));
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const numbers = lines.map((line) => (JSON.parse(line) as { i?: number }).i);
    expect(numbers).to.deep.equal([...Array(2_000).keys(), undefined]);
  });

  it('is whole and in order in a pipe that is read', async () => {
    const started = await start(2_000, 'pipe');
    let text = '';
    started.stdout?.setEncoding('utf8').on('data', (data: string) => {
      text += data;
    });
    const closed = once(started, 'close');
    await expectEnd(started);
    await closed;
    const lines = text.trimEnd().split('\n');
    expect(lines).to.have.length(2_001);
    expect(lines.slice(0, 2_000).map((line) => JSON.parse(line).i)).to.deep.equal([...Array(2_000).keys()]);
  });

  it('may go to /dev/null', async () => {
    await expectEnd(await start(2_000, open('/dev/null', constants.O_WRONLY)));
  });

  it('tells a reader that comes late how many lines it missed', async () => {
    const started = await start(20_000, 'pipe');
    let text = '';
    const found = new Promise<number>((resolve) => {
      started.stdout?.setEncoding('utf8').on('data', (data: string) => {
        text += data;
        const match = /"lines":(\d+),"msg":"log lines were dropped since nobody took them in time"}\n/.exec(text);
        if (match !== null) resolve(Number(match[1]));
      });
    });
    const lines = await found;
    const kept = text.slice(0, text.indexOf('"lines":')).split('\n').length - 1;
    expect(kept + lines).to.equal(20_000);
    await expectEnd(started);
  });
});
