import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { silentLogger, systemClock } from '@rmqns/remoting';
import { type Certificates, createCertificates, eventually, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Agent } from '../src/agent.js';
import type { AgentConfig } from '../src/agent-config.js';
import { agentConfig } from './agent-fixture.js';

describe('an agent over TLS', () => {
  let directory: TemporaryDirectory;
  let certificates: Certificates;
  let server: NameServer;
  let agent: Agent | undefined;
  before(async function () {
    this.timeout(60_000);
    directory = await TemporaryDirectory.create();
    certificates = await createCertificates(directory.path);
  });
  after(() => directory[Symbol.asyncDispose]());
  beforeEach(async () => {
    server = createNameServer({
      bindAddress: '127.0.0.1',
      listenPort: 0,
      'tls.server.mode': 'enforcing',
      'tls.server.certPath': certificates.server.certPath,
      'tls.server.keyPath': certificates.server.keyPath,
      'tls.server.need.client.auth': 'require',
      'tls.server.authClient': true,
      'tls.server.trustCertPath': certificates.ca.certPath,
    });
    await server.start();
  });
  afterEach(async () => {
    await agent?.stop();
    await server.close();
  });

  function started(name: string, namesrvTls: AgentConfig['namesrvTls'], warned: string[] = []): Agent {
    const config = { ...agentConfig([server.address], ['A', 'B'], join(directory.path, name, 'state')), namesrvTls };
    const logger = { ...silentLogger, info: note, warn: note };
    function note(_fields: object | string, message = ''): void {
      warned.push(message);
    }
    agent = new Agent({ config, clock: systemClock, logger });
    void agent.start();
    return agent;
  }
  const state = (of: Agent) => of.status.nameServers.servers[0];
  const registered = (of: Agent): Promise<unknown> =>
    eventually(async () => (state(of)?.registered === true ? true : undefined), {
      what: 'the registration',
      timeoutMillis: 8_000,
    });
  const problemOf = (of: Agent): Promise<string> =>
    eventually(async () => state(of)?.problem, { what: 'what keeps the agent from registering', timeoutMillis: 8_000 });

  it('registers with a name server that takes nothing but TLS with a certificate of its CA, and nobody else does', async () => {
    const { client, stranger, ca } = certificates;
    const trusting = started('good', { ...client, trustCertPath: ca.certPath });
    await registered(trusting);
    await trusting.stop();

    const without = started('without', { trustCertPath: ca.certPath });
    expect(await problemOf(without)).to.match(/wants one|ended during|closed/);
    expect(state(without)?.registered).to.equal(false);
    await without.stop();

    const foreign = started('foreign', { ...stranger, trustCertPath: certificates.strangerCa.certPath });
    expect(await problemOf(foreign)).to.match(/^TLS with .* failed: the peer's certificate is not trusted/);
    await foreign.stop();

    const plain = started('plain', undefined);
    expect(await problemOf(plain)).to.match(/closed/);
    expect(state(plain)?.registered).to.equal(false);
  });

  it('waits for files that come later, and uses others that take their place from the next connection on', async () => {
    const { client, stranger, ca } = certificates;
    const home = join(directory.path, 'later');
    mkdirSync(home);
    const path = (name: string): string => join(home, name);
    /** As a secret of Kubernetes is replaced: by a link that points elsewhere. */
    const put = (name: string, target: string): void => {
      symlinkSync(target, path('next'));
      renameSync(path('next'), path(name));
    };
    const said: string[] = [];
    const saidThat = (words: RegExp): Promise<unknown> =>
      eventually(async () => said.find((line) => words.test(line)), {
        what: `a line of ${words}`,
        timeoutMillis: 8_000,
      });
    const reloadIntervalMillis = 20;
    const files = {
      reloadIntervalMillis,
      certPath: path('tls.crt'),
      keyPath: path('tls.key'),
      trustCertPath: path('ca.crt'),
    };
    const waiting = started('later', files, said);
    expect(await problemOf(waiting)).to.match(/our own files cannot be used: ENOENT/);
    put('ca.crt', ca.certPath);
    put('tls.key', client.keyPath);
    put('tls.crt', client.certPath);
    await registered(waiting);

    put('tls.crt', stranger.certPath);
    await saidThat(/cannot be used/);
    put('tls.key', stranger.keyPath);
    await saidThat(/new connections/);
    expect(state(waiting)?.registered, 'the connection stays').to.equal(true);
    const { address } = server;
    await server.close();
    server = createNameServer({
      bindAddress: '127.0.0.1',
      listenPort: Number(address.split(':')[1]),
      'tls.server.mode': 'enforcing',
      'tls.server.certPath': certificates.server.certPath,
      'tls.server.keyPath': certificates.server.keyPath,
      'tls.server.need.client.auth': 'require',
      'tls.server.authClient': true,
      'tls.server.trustCertPath': certificates.strangerCa.certPath,
    });
    await server.start();
    await registered(waiting);
  });
});
