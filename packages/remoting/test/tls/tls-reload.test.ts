import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { isTlsHandshakeEvent } from '../../src/handler/tls-handler.js';
import { ManualClock } from '../../src/manual-clock.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { TlsContext, TlsMaterial } from '../../src/tls/tls-context.js';
import { TlsContextProvider, type TlsReloadEvent } from '../../src/tls/tls-context-provider.js';
import type { TlsFileOptions } from '../../src/tls/tls-options.js';
import { ca, issued, strangeCa, TlsDirectory, turn } from './tls-fixture.js';

/** A provider whose contexts are the material that they were made of. */
class Watched {
  readonly clock = new ManualClock();
  readonly events: TlsReloadEvent[] = [];
  readonly built: TlsMaterial[] = [];
  readonly provider: TlsContextProvider;

  constructor(files: TlsFileOptions) {
    this.provider = new TlsContextProvider({
      files,
      reloadIntervalMillis: 500,
      clock: this.clock,
      build: (material) => {
        this.built.push(material);
        return { isClient: false, open: () => {} } satisfies TlsContext;
      },
      onReload: (event) => this.events.push(event),
    });
  }

  /** Lets the interval pass once and waits for the look at the files. */
  async look(): Promise<void> {
    this.clock.advance(500);
    // The look under way, not another one.
    await this.provider.check();
  }

  get outcomes(): boolean[] {
    return this.events.map(({ ok }) => ok);
  }
}

describe('TLS reload', () => {
  let directory: TlsDirectory;
  beforeEach(async () => {
    directory = await TlsDirectory.create();
  });
  afterEach(() => directory[Symbol.asyncDispose]());

  async function watched(): Promise<Watched> {
    const trustCertPath = await directory.write('ca.crt', ca.cert);
    const watching = new Watched({ ...(await directory.pair('own', issued('one'))), trustCertPath });
    await watching.provider.get();
    watching.provider.watch();
    return watching;
  }

  it('does nothing while the contents are the same, and stops with close', async () => {
    const { provider, clock, built, events } = await watched();
    clock.advance(500);
    await provider.check();
    await directory.write('ca.crt', ca.cert);
    clock.advance(500);
    await provider.check();
    expect([built.length, events.length]).to.deep.equal([1, 0]);
    provider.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  // Elsewhere there are no such files.
  if (process.platform !== 'win32')
    it('does not wait for a pipe that nobody writes to in the place of a file', async () => {
      const pipe = `${directory.path}/pipe`;
      execFileSync('mkfifo', [pipe]);
      const { provider } = new Watched({ trustCertPath: pipe });
      const error = await provider.get().catch((thrown: unknown) => thrown);
      expect(String(error)).to.contain('is not a file');
    });

  it('tells at once what comes of a look that was asked for, also that nothing changed', async () => {
    const { provider, events, built } = await watched();
    await provider.reload();
    await directory.write('own.crt', issued('other').cert);
    await provider.reload();
    await provider.reload();
    await directory.pair('own', issued('two'));
    await provider.reload();
    const broken = 'TLS files cannot be used: the private key is not that of the certificate; those before stay in use';
    expect(events.map(({ ok, message }) => [ok, message.replace(/ of CN.*/, '')])).to.deep.equal([
      [true, 'TLS files are as they were'],
      [false, broken],
      [false, broken],
      [true, 'TLS files reloaded; new connections use the certificate'],
    ]);
    expect(built).to.have.length(2);
  });

  describe('with other options', () => {
    /** The name in the certificate that a server shows. */
    async function shown(server: RemotingServer): Promise<string | undefined> {
      const { host, port } = parseSocketAddress(server.address);
      const socket = connect({ host, port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const name = socket.getPeerX509Certificate()?.subject;
      socket.destroy();
      return name;
    }

    it('a server takes them for new connections, its sub-servers too, and keeps the mode and what can still be used', async () => {
      const [one, two] = [await directory.pair('one', issued('one')), await directory.pair('two', issued('two'))];
      const server = new RemotingServer({ tls: { mode: 'enforcing', ...one } });
      const told: TlsReloadEvent[] = [];
      server.on('tlsReload', (event) => told.push(event));
      await server.start();
      const before = server.newRemotingServer(0);
      await before.start();
      await server.reloadTls({ mode: 'disabled', ...two });
      const after = server.newRemotingServer(0);
      await after.start();
      expect([await shown(server), await shown(before), await shown(after)]).to.deep.equal(Array(3).fill('CN=two'));
      await server.reloadTls({ ...one, keyPath: two.keyPath });
      expect(await shown(server)).to.equal('CN=two');
      expect(told.map(({ ok }) => ok)).to.deep.equal([true, false]);
      await server.close();
    });

    it('a server without TLS, and options that cannot be, are refused', async () => {
      const outcome = (promise: Promise<void>): Promise<unknown> =>
        promise.catch((error: { code: string }) => error.code);
      expect(await outcome(new RemotingServer().reloadTls())).to.equal('INVALID_ARGUMENT');
      const server = new RemotingServer({ tls: { testMode: true } });
      expect(await outcome(server.reloadTls({ keyPath: 5 as unknown as string }))).to.equal('INVALID_ARGUMENT');
      await server.close();
    });
  });

  it('follows the trust file alone', async () => {
    const watching = await watched();
    await directory.write('ca.crt', strangeCa.cert);
    await watching.look();
    expect([watching.outcomes, String(watching.built[1]?.trust)]).to.deep.equal([[true], strangeCa.cert]);
  });

  it('takes a new pair when both files are there, and says nothing of the moment between', async () => {
    const watching = await watched();
    const next = issued('two');
    await directory.write('own.crt', next.cert);
    await watching.look();
    expect([watching.built.length, watching.outcomes]).to.deep.equal([1, []]);
    await directory.write('own.key', next.key);
    await watching.look();
    expect([watching.built.length, watching.outcomes]).to.deep.equal([2, [true]]);
    const { serialNumber, message } = watching.events[0] ?? {};
    expect(serialNumber).to.equal(new X509Certificate(next.cert).serialNumber);
    expect(message).to.match(
      /^TLS files reloaded; new connections use the certificate of CN=two, serial [0-9A-F]+, valid to /,
    );
  });

  it('keeps the old one for a pair that is broken or does not match, and tells once for each content', async () => {
    const watching = await watched();
    const before = watching.provider.current;
    for (const [content, reason] of [
      [issued('other').cert, 'the private key is not that of the certificate'],
      ['rubbish', 'the certificate cannot be read'],
      ['other rubbish', 'the certificate cannot be read'],
    ] as const) {
      watching.events.length = 0;
      await directory.write('own.crt', content);
      for (let i = 0; i < 4; i++) await watching.look();
      expect(watching.events.map(({ ok, message }) => [ok, message])).to.deep.equal([
        [false, `TLS files cannot be used: ${reason}; those before stay in use`],
      ]);
      expect(watching.provider.current).to.equal(before);
    }
  });

  it('keeps the old one while a file is missing or too large', async () => {
    const watching = await watched();
    const before = watching.provider.current;
    await unlink(directory.at('own.key'));
    for (let i = 0; i < 4; i++) await watching.look();
    await directory.write('own.key', 'x'.repeat(1024 * 1024 + 1));
    for (let i = 0; i < 4; i++) await watching.look();
    expect(watching.outcomes).to.deep.equal([false, false]);
    expect(watching.events[0]?.message).to.contain('own.key');
    expect(watching.provider.current).to.equal(before);
    await directory.pair('own', issued('three'));
    await watching.look();
    expect(watching.outcomes).to.deep.equal([false, false, true]);
  });

  it('sees a swap of a link on the way to the files, as Kubernetes makes it (W90)', async () => {
    const one = issued('one');
    const two = issued('two');
    for (const [name, { cert, key }] of [
      ['..1', one],
      ['..2', two],
    ] as const) {
      await mkdir(directory.at(name));
      await writeFile(directory.at(`${name}/tls.crt`), cert);
      await writeFile(directory.at(`${name}/tls.key`), key);
    }
    await symlink('..1', directory.at('..data'));
    for (const file of ['tls.crt', 'tls.key']) await symlink(`..data/${file}`, directory.at(file));
    const watching = new Watched({ certPath: directory.at('tls.crt'), keyPath: directory.at('tls.key') });
    await watching.provider.get();
    watching.provider.watch();
    await symlink('..2', directory.at('..data_tmp'));
    await rename(directory.at('..data_tmp'), directory.at('..data'));
    await watching.look();
    expect([watching.outcomes, String(watching.built[1]?.cert)]).to.deep.equal([[true], two.cert]);
  });

  it('looks once at a time', async () => {
    const { provider, clock, built } = await watched();
    await directory.pair('own', issued('two'));
    clock.advance(5_000);
    expect(provider.check()).to.equal(provider.check());
    await provider.check();
    await turn();
    expect(built).to.have.lengthOf(2);
  });

  it('reloads 100 times under load: no call fails, old connections go on, new ones see the new certificate (A40, W90)', async function () {
    this.timeout(60_000);
    const clock = new ManualClock();
    const trustCertPath = await directory.write('ca.crt', ca.cert);
    const paths = await directory.pair('own', issued('first'));
    await using server = new RemotingServer({ tls: { mode: 'enforcing', ...paths }, clock });
    server.registerProcessor(1, {
      processRequest: (_ctx, request) => RemotingCommand.response(0, undefined, { body: request.body }),
    });
    await server.start();
    const tls = { trustCertPath, reloadIntervalMillis: 0 };
    await using lasting = new RemotingClient({ tls });
    const call = (client: RemotingClient): Promise<RemotingCommand> =>
      client.invokeSync(server.address, new RemotingCommand({ code: 1, body: Buffer.from('x') }), 10_000);
    let running = true;
    let calls = 0;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (; running; calls++) await call(lasting);
      }),
    );
    const wrong: string[] = [];
    for (let i = 0; i < 100; i++) {
      const next = issued(`number ${i}`);
      const reloaded = new Promise<TlsReloadEvent>((resolve) => server.once('tlsReload', resolve));
      await directory.pair('own', next);
      clock.advance(500);
      const { ok, serialNumber } = await reloaded;
      let subject: string | undefined;
      await using fresh = new RemotingClient({
        tls,
        initChannel: (channel) =>
          channel.pipeline.addLast('probe', {
            userEventTriggered: (_ctx, event) => {
              if (isTlsHandshakeEvent(event)) subject = event.peerSubject;
            },
          }),
      });
      await call(fresh);
      if (!ok || subject !== `CN=number ${i}` || serialNumber !== new X509Certificate(next.cert).serialNumber)
        wrong.push(`${i}: ${subject}`);
    }
    running = false;
    await load;
    expect(wrong).to.deep.equal([]);
    expect(calls).to.be.greaterThan(100);
    // The connection from before the first reload carried every call.
    expect(lasting.counters.connectFailures).to.equal(0);
    expect(server.channels.size).to.be.within(1, 2);
  });
});
