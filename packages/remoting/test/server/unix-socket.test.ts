import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { removeStaleSocket } from '../../src/server/unix-socket.js';

describe('a server on a Unix socket', () => {
  let folder: string;
  let path: string;
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rmqns-unix-'));
    path = join(folder, 'server.sock');
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    rmSync(folder, { recursive: true });
  });

  async function makeServer(): Promise<RemotingServer> {
    const server = new RemotingServer({ path });
    server.registerProcessor(1, {
      processRequest: ({ channel }) => RemotingCommand.response(0, `hello ${channel.remoteAddress}`),
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  function ask(): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket: Socket = connect(path);
      cleanUps.push(() => socket.destroy());
      socket.once('error', reject);
      socket.once('data', (chunk) => resolve(String(chunk)));
      socket.write(Buffer.concat(encodeFrame(RemotingCommand.request(1, { opaque: 5 }))));
    });
  }

  const startAgain = (): Promise<string> =>
    new RemotingServer({ path }).start().then(
      () => expect.fail('it listens'),
      (error: RemotingError) => `${error.code}: ${error.message}`,
    );

  /** As a killed server leaves it: a process that ends without closing. */
  function leaveStaleSocket(): Promise<void> {
    const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    return new Promise((resolve) => void execFile(process.execPath, ['-e', program], () => resolve()));
  }

  it('says that the directory may be missing', async () => {
    path = join(folder, 'missing', 'server.sock');
    expect(await startAgain()).to.equal(
      `BIND_FAILED: cannot listen on unix:${path}: its directory does not exist, or this user may not write there`,
    );
  });

  it('answers there, names its address, and takes the file away at its close', async () => {
    const server = await makeServer();
    expect(server.address).to.equal(`unix:${path}`);
    const answer = await ask();
    expect(answer).to.contain('"opaque":5').and.to.contain(`hello unix:${path}`);
    await server.close();
    expect(existsSync(path)).to.equal(false);
  });

  it('answers a client, which says how long it waits', async () => {
    const server = new RemotingServer({ path, requestDeadlines: true });
    const left: number[] = [];
    server.registerProcessor(1, {
      processRequest: (ctx) => {
        left.push(ctx.remainingMillis());
        return RemotingCommand.response(0);
      },
    });
    await server.start();
    const client = new RemotingClient({ sendDeadline: true });
    cleanUps.push(
      () => server.destroy(),
      () => client.destroy(),
    );
    await client.invokeSync(server.address, RemotingCommand.request(1), 5_000);
    expect(left[0]).to.be.within(1, 5_000);
  });

  it('takes the place of one that was killed', async () => {
    await leaveStaleSocket();
    expect(existsSync(path)).to.equal(true);
    await makeServer();
    expect(await ask()).to.contain('hello');
  });

  it('leaves a living server and its file alone', async () => {
    await makeServer();
    expect(await startAgain()).to.equal(
      `BIND_FAILED: cannot listen on unix:${path}: another process listens there already`,
    );
    expect(await removeStaleSocket(path)).to.equal(false);
    expect(await ask()).to.contain('hello');
  });

  it('leaves a file that is no socket alone', async () => {
    writeFileSync(path, 'precious');
    expect(await startAgain()).to.equal(
      `BIND_FAILED: cannot listen on unix:${path}: a file that is no socket is there; move it away`,
    );
    expect(readFileSync(path, 'utf8')).to.equal('precious');
  });

  it('excludes host and port, and paths that cannot be', () => {
    expect(() => new RemotingServer({ path, port: 1 })).to.throw('path excludes host and port');
    expect(() => new RemotingServer({ path: '' })).to.throw('path must be the path of a Unix socket');
    expect(() => new RemotingServer({ path: `/${'x'.repeat(200)}` })).to.throw(/path must be at most 10\d bytes long/);
    expect(() => new RemotingServer({ path: 'a\0b' })).to.throw('path must not hold a NUL');
  });
});
