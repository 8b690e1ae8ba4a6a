import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { ConfigFile } from '../src/config-file.js';
import { Scratch } from './agent-fixture.js';

describe('the file of the configuration', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let waits: number;
  beforeEach(() => {
    scratch = new Scratch();
    clock = new ManualClock(0);
    waits = 0;
  });
  afterEach(() => {
    scratch[Symbol.dispose]();
    expect(clock.pendingTimers).to.equal(0);
  });

  const onWait = (): void => {
    waits += 1;
  };
  const fileAt = (path: string): ConfigFile => new ConfigFile(path, { clock, onWait });
  const fifo = (): string => {
    const path = join(scratch.path, 'fifo');
    execFileSync('mkfifo', [path]);
    return path;
  };
  const reason = (reading: Promise<unknown>): Promise<string> =>
    reading.then(
      () => 'it was read',
      (error: Error) => error.message,
    );
  /** Waits until the file is opened and its clock runs. */
  async function opened(): Promise<void> {
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
  }

  it('is read again as often as one likes', async () => {
    const path = join(scratch.path, 'file');
    const file = fileAt(path);
    for (const text of ['one', 'another', '']) {
      writeFileSync(path, text);
      expect(String(await file.read())).to.equal(text);
    }
  });

  it('may be a pipe that somebody writes to later, and is read once then', async () => {
    const path = fifo();
    const file = fileAt(path);
    const reading = file.read();
    await opened();
    await clock.advanceAsync(29_000, 1_000);
    expect(waits).to.equal(1);
    await writeFile(path, 'text'.repeat(100_000));
    expect((await reading).length).to.equal(400_000);
    expect(await reason(file.read())).to.match(/^it is no regular file, .* start the agent again/);
  });

  it('may be a pipe whose writer waits already', async () => {
    const path = fifo();
    const writer = spawn('/bin/sh', ['-c', 'echo text > "$0"', path], { stdio: 'ignore' });
    const ended = once(writer, 'exit');
    expect(String(await fileAt(path).read())).to.equal('text\n');
    await ended;
    expect(waits).to.equal(0);
  });

  it('is given up when it is a pipe from which nothing comes for 30 s', async () => {
    const reading = reason(fileAt(fifo()).read());
    await opened();
    await clock.advanceAsync(30_000, 1_000);
    expect(await reading).to.equal('nothing came from it for 30 s');
  });

  it('is no directory, no socket, and nothing without an end', async () => {
    expect(await reason(fileAt(scratch.path).read())).to.equal('it is a directory');
    expect(await reason(fileAt('/dev/zero').read())).to.equal('it is larger than 16 MiB');
    expect((await fileAt('/dev/null').read()).length).to.equal(0);
    const path = join(scratch.path, 'socket');
    const server = createServer().listen(path);
    await once(server, 'listening');
    expect(await reason(fileAt(path).read())).to.equal('it is a socket');
    server.close();
  });
});
