import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { execProbe, httpProbe, type Probe, tcpProbe } from '../src/probe.js';

const never = new AbortController().signal;
const failure = (probe: Probe, signal = never): Promise<string> =>
  probe(signal).then(
    ({ output }) => `no failure: ${output}`,
    (error: Error) => error.message,
  );

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a tcp probe', () => {
  it('passes when its address takes a connection, and leaves none behind', async () => {
    const server = createServer();
    const port = await listening(server);
    const ended = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
    expect(await tcpProbe(`127.0.0.1:${port}`)(never)).to.deep.equal({ passed: true, output: 'connected' });
    await ended;
    server.close();
    await once(server, 'close');
    expect(await failure(tcpProbe(`127.0.0.1:${port}`))).to.match(/ECONNREFUSED/);
  });
});

describe('an http probe', () => {
  let answer: (path: string) => [status: number, body: string] | undefined;
  let server: ReturnType<typeof createHttpServer>;
  let base: string;
  beforeEach(async () => {
    server = createHttpServer((request, response) => {
      const [status, body] = answer(request.url ?? '') ?? [];
      if (status === undefined) return;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
    });
    base = `http://127.0.0.1:${await listening(server)}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('passes by status and text, and takes a redirect for an answer', async () => {
    answer = (path) => (path === '/ok' ? [200, 'all ok'] : path === '/moved' ? [302, ''] : [503, 'ok']);
    const look = async (path: string, expected: number[], text?: string) => {
      const { passed, output } = await httpProbe(`${base}${path}`, expected, text)(never);
      return `${passed} ${output}`;
    };
    expect(await look('/ok', [200])).to.equal('true answered 200');
    expect(await look('/ok', [200], 'ok')).to.equal('true answered 200');
    expect(await look('/ok', [200], 'fine')).to.equal('false answered 200 without "fine"');
    expect(await look('/bad', [200, 204])).to.equal('false answered 503, not 200 or 204');
    expect(await look('/bad', [503], 'ok')).to.equal('true answered 503');
    expect(await look('/moved', [200])).to.equal('false answered 302, not 200');
  });

  it('fails on a page without end, and when nobody answers', async () => {
    answer = () => [200, 'x'.repeat((1 << 20) + 1)];
    expect(await failure(httpProbe(base, [200], undefined))).to.equal('the answer is larger than 1048576 bytes');
    const asked = once(server, 'request');
    answer = () => undefined;
    const controller = new AbortController();
    const looked = failure(httpProbe(base, [200], undefined), controller.signal);
    await asked;
    controller.abort(new Error('no answer within 1000 ms'));
    expect(await looked).to.equal('no answer within 1000 ms');
  });
});

describe('an exec probe', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const run = (script: string, ...args: string[]) => execProbe(['/bin/sh', '-c', script, 'sh', ...args]);

  it('passes with exit code 0, warns with 1, fails with all others, and shows what the command said', async () => {
    const look = async (script: string, ...args: string[]) => {
      const { passed, output } = await run(script, ...args)(never);
      return `${passed} ${output}`;
    };
    expect(await look('')).to.equal('true exit code 0');
    expect(await look('echo behind by 3; exit 1')).to.equal('true warning, exit code 1: behind by 3');
    expect(await look('echo 1; echo disk full >&2; exit 2')).to.equal('false exit code 2: disk full');
    expect(await look('kill -9 $$')).to.equal('false ended by a signal');
    const long = await look('head -c 3000000 /dev/zero | tr "\\0" x; exit 0');
    expect(long).to.equal(`true exit code 0: ${'x'.repeat(1_024)}`);
    expect(await failure(execProbe([join(directory, 'nothing')]))).to.match(/there is no such program$/);
  });

  it('says why it could not be run where no file descriptor is left', async () => {
    const script = `
      const { openSync } = require('node:fs');
      import(process.argv[1]).then(async ({ execProbe }) => {
        const probe = execProbe(['/bin/true']);
        const files = [];
        try { for (;;) files.push(openSync('/dev/null')); } catch {}
        const said = await probe(new AbortController().signal).catch((error) => error.message);
        require('node:fs').closeSync(files[0]);
        console.log(said);
      });`;
    const module = new URL('../src/probe.js', import.meta.url).href;
    const limited = ['/bin/sh', '-c', 'ulimit -n 500; exec "$@"', 'sh', process.execPath, '-e', script, module];
    const { output } = await execProbe(limited)(never);
    expect(output).to.equal('exit code 0: cannot run /bin/true: too many files are open');
  });

  it('uses no shell', async () => {
    const { output } = await run('echo "$1"', `$(touch ${directory}/made); *`)(never);
    expect(output).to.equal(`exit code 0: $(touch ${directory}/made); *`);
    expect(existsSync(join(directory, 'made'))).to.equal(false);
  });

  it('kills what the command started, too, when the time is up', async () => {
    const file = join(directory, 'pid');
    const written = new Promise<void>((resolve) => {
      const watcher = watch(directory, () => {
        if (!existsSync(file) || readFileSync(file, 'utf8') === '') return;
        watcher.close();
        resolve();
      });
    });
    // The shell ends, and what it left behind holds its output.
    const script = 'sleep 1000 & echo $! > "$1"';
    const controller = new AbortController();
    const looked = failure(run(script, file), controller.signal);
    await written;
    controller.abort(new Error('no answer within 5000 ms'));
    expect(await looked).to.equal('no answer within 5000 ms');
    const pid = Number(readFileSync(file, 'utf8'));
    while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
  });
});

/** A process that ended and that nobody waits for runs no more, either. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
