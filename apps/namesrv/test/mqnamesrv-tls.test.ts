import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { GetAllTopicListFromNameserver, GetNamesrvConfig } from '@rmqns/protocol';
import { RemotingClient, type TlsClientOptions } from '@rmqns/remoting';
import { expect } from 'chai';
import { generate } from 'selfsigned';
import { type MqnamesrvProcess, TestHome } from './mqnamesrv-process.js';

const onAnyPort = ['--port', '0', '--bind', '127.0.0.1'];

describe('mqnamesrv, over TLS', function () {
  this.timeout(30_000);
  let home: TestHome;
  beforeEach(() => {
    home = new TestHome();
  });
  afterEach(() => home.remove());

  /** Writes a certificate and its key, whole at once. */
  async function pair(name: string, commonName = name): Promise<{ certPath: string; keyPath: string }> {
    const made = await generate([{ name: 'commonName', value: commonName }], { keyType: 'ec', algorithm: 'sha256' });
    const paths = { certPath: join(home.path, `${name}.crt`), keyPath: join(home.path, `${name}.key`) };
    put(paths.keyPath, made.private);
    put(paths.certPath, made.cert);
    return paths;
  }

  function put(path: string, text: string): void {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  /** `answered`, or the code of the error. */
  async function outcome(port: number, tls?: TlsClientOptions): Promise<string> {
    const client = new RemotingClient({ tls });
    try {
      await client.call(`127.0.0.1:${port}`, GetAllTopicListFromNameserver, {});
      return 'answered';
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.destroy();
    }
  }

  async function shownBy(port: number): Promise<string | undefined> {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const subject = socket.getPeerX509Certificate()?.subject;
    socket.destroy();
    return subject;
  }

  const logged = (server: MqnamesrvProcess, pattern: RegExp): Promise<string> => server.line(pattern);

  it('takes plain connections and TLS with a certificate of its own making when nothing is set, as Apache', async () => {
    const port = await home.start(onAnyPort).booted();
    expect(await outcome(port)).to.equal('answered');
    expect(await shownBy(port)).to.equal('CN=rmqns TLS test mode');
    expect(await outcome(port, { testMode: true })).to.equal('answered');
  });

  it('takes what Docker users set in JAVA_OPT, and refuses plain connections when it is to', async () => {
    const { certPath, keyPath } = await pair('own');
    const server = home.start(onAnyPort, {
      environment: {
        JAVA_OPT: `-Xmx1g -Dtls.server.mode=enforcing -Dtls.server.certPath=${certPath} -Dtls.server.keyPath=${keyPath}`,
      },
    });
    const port = await server.booted();
    expect(await outcome(port)).to.equal('CONNECTION_CLOSED');
    expect(await outcome(port, { authServer: false })).to.equal('answered');
    expect(await outcome(port, { trustCertPath: certPath })).to.equal('answered');
    expect(await shownBy(port)).to.equal('CN=own');
    expect(server.stdout).to.match(/ignored, as they mean nothing here: -Xmx1g"/);
  });

  it('asks clients for certificates of a CA', async () => {
    const [{ certPath, keyPath }, known, stranger] = [await pair('own'), await pair('known'), await pair('stranger')];
    const settings = {
      'tls.server.certPath': certPath,
      'tls.server.keyPath': keyPath,
      'tls.server.need.client.auth': 'REQUIRE',
      'tls.server.authClient': 'true',
      'tls.server.trustCertPath': known.certPath,
    };
    const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const port = await home.start([...onAnyPort, ...set]).booted();
    expect(await outcome(port, { authServer: false, ...known })).to.equal('answered');
    expect(await outcome(port, { authServer: false, ...stranger })).to.not.equal('answered');
    expect(await outcome(port, { authServer: false })).to.not.equal('answered');
    expect(await outcome(port)).to.equal('answered');
  });

  it('keeps what it has when a pair is broken, says so at SIGHUP, and takes it once it is right', async () => {
    const { certPath, keyPath } = await pair('own', 'first');
    writeFileSync(
      join(home.path, 'a.properties'),
      `tls.server.certPath=${certPath}\ntls.server.keyPath=${keyPath}\ntls.server.keyPassword=not-to-be-seen\n`,
    );
    const server = home.start([...onAnyPort, '-c', 'a.properties']);
    const port = await server.booted();
    put(certPath, 'rubbish');
    server.kill('SIGHUP');
    await logged(server, /TLS files cannot be used: the certificate cannot be read; those before stay in use/);
    expect(await shownBy(port)).to.equal('CN=first');
    await pair('own', 'second');
    server.kill('SIGHUP');
    await logged(server, /TLS files reloaded; new connections use the certificate of CN=second/);
    expect(await shownBy(port)).to.equal('CN=second');
    const client = new RemotingClient();
    const { body } = await client.call(`127.0.0.1:${port}`, GetNamesrvConfig, {});
    await client.destroy();
    expect(Buffer.from(body ?? []).toString())
      .to.contain('tls.server.certPath')
      .and.not.contain('not-to-be-seen');
    expect(server.stdout).to.not.contain('not-to-be-seen');
  });

  it('lets the file of tls.config.file go over the rest, but not over the mode, and follows its changes', async () => {
    const [one, two] = [await pair('one'), await pair('two')];
    const file = join(home.path, 'tls.properties');
    const set = ['--set', `tls.config.file=${file}`, '--set', `tls.server.certPath=${one.certPath}`];
    const server = home.start([...onAnyPort, ...set, '--set', `tls.server.keyPath=${one.keyPath}`]);
    const port = await server.booted();
    await logged(server, /tls\.config\.file: cannot read the configuration file .*; it is watched for/);
    expect(await shownBy(port)).to.equal('CN=one');
    put(file, `tls.server.mode=disabled\ntls.server.certPath=${two.certPath}\ntls.server.keyPath=${two.keyPath}\n`);
    await logged(server, /new connections use the certificate of CN=two/);
    expect(await shownBy(port)).to.equal('CN=two');
    put(file, 'tls.server.authClient=perhaps\n');
    await logged(server, /TLS goes on as before: .*tls\.server\.authClient/);
    expect(await shownBy(port)).to.equal('CN=two');
  });

  it('says in one sentence that TLS is enforced without a certificate that can be used, and exits 1', async () => {
    const server = home.start(onAnyPort, {
      environment: {
        RMQ_NAMESRV_TLS_SERVER_MODE: 'enforcing',
        RMQ_NAMESRV_TLS_SERVER_CERT_PATH: '/missing.crt',
        RMQ_NAMESRV_TLS_SERVER_KEY_PATH: '/missing.key',
      },
    });
    expect(await server.ended).to.equal(1);
    expect(server.stderr).to.match(
      /^mqnamesrv: the certificate and key for TLS cannot be used: [^\n]*missing\.crt[^\n]*; correct tls\.server\.certPath and tls\.server\.keyPath\n$/,
    );
  });

  it('refuses TLS when it is disabled', async () => {
    const port = await home.start([...onAnyPort, '--set', 'tls.server.mode=disabled']).booted();
    expect(await outcome(port)).to.equal('answered');
    expect(await outcome(port, { testMode: true })).to.equal('CONNECT_FAILED');
  });

  it('shows no password in what it prints of its configuration', async () => {
    const args = ['--set', 'tls.server.keyPassword=not-to-be-seen'];
    for (const print of ['--print-config', '--print-config=json', '-p']) {
      const server = home.start([print, ...args]);
      expect(await server.ended).to.equal(0);
      expect(server.stdout + server.stderr).to.not.contain('not-to-be-seen');
    }
  });
});
