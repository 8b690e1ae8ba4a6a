import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetBrokerClusterInfo } from '@rmqns/protocol';
import { RemotingClient, type RemotingClientOptions } from '@rmqns/remoting';
import {
  apacheVersions,
  CapturedProcess,
  type Certificates,
  createCertificates,
  eventually,
  NameServerProcess,
  repositoryRoot,
  TemporaryDirectory,
  useApache,
} from '@rmqns/test-kit';
import { expect } from 'chai';
import { controlVersion } from './name-server-under-test.js';

const MESSAGES = 20;

/** The brokers that a name server shows, or the code of the error. */
async function brokersAt(address: string, options: RemotingClientOptions): Promise<string[] | string> {
  const client = new RemotingClient(options);
  try {
    const { body } = await client.call(address, GetBrokerClusterInfo, {});
    return [...body.brokerAddrTable.values()].flatMap(({ brokerAddrs }) => [...brokerAddrs.values()]);
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.destroy();
  }
}

describe('a broker and a client that speak TLS', () => {
  const apache = useApache(...apacheVersions);
  let directory: TemporaryDirectory;
  let certificates: Certificates;

  before(async function () {
    // It is about what our name server asks of them, which Apache's need not be told the same way.
    if (controlVersion !== undefined) this.skip();
    directory = await TemporaryDirectory.create();
    certificates = await createCertificates(directory.path);
  });

  after(async () => {
    await directory?.[Symbol.asyncDispose]();
  });

  for (const version of ['4.7.1', '4.9.7', '5.3.3'] as const) {
    it(`of ${version} work through a name server that takes nothing but TLS with a certificate of a CA`, async () => {
      const { server, client, stranger, ca } = certificates;
      await using nameServer = await NameServerProcess.start({
        settings: {
          'tls.server.mode': 'enforcing',
          'tls.server.certPath': server.certPath,
          'tls.server.keyPath': server.keyPath,
          'tls.server.need.client.auth': 'require',
          'tls.server.authClient': true,
          'tls.server.trustCertPath': ca.certPath,
        },
      });
      const { address } = nameServer;
      const identity = {
        '-Dtls.test.mode.enable': 'false',
        '-Dtls.client.certPath': client.certPath,
        '-Dtls.client.keyPath': client.keyPath,
        '-Dtls.client.authServer': 'true',
        '-Dtls.client.trustCertPath': ca.certPath,
      };
      const broker = await apache.startBroker(version, address, {
        tls: true,
        tlsCert: server.certPath,
        tlsKey: server.keyPath,
        ...identity,
      });
      const tls = { ...client, trustCertPath: ca.certPath };
      // Over TLS a 5.3.3 broker first registers ten seconds after its start.
      await eventually(
        async () => {
          const brokers = await brokersAt(address, { tls });
          return brokers.includes(broker.brokerAddr) ? true : undefined;
        },
        { what: 'the broker in the cluster info', timeoutMillis: 30_000 },
      );
      expect(await brokersAt(address, {})).to.equal('CONNECTION_CLOSED');
      expect(await brokersAt(address, { tls: { trustCertPath: ca.certPath } })).to.be.a('string');
      expect(await brokersAt(address, { tls: { ...stranger, trustCertPath: ca.certPath } })).to.be.a('string');

      const options = ['tls=true', ...Object.entries(identity).map((pair) => pair.join('='))];
      const roundtrip = [address, 'RoundtripTopic', String(MESSAGES), '60'];
      const output = await apache.java(version, ...(options as [string]), 'Roundtrip.java', ...roundtrip);
      expect(output).to.contain(`received all ${MESSAGES}`);
      const clusters = await apache.mqadmin(version, address, ...options, 'clusterList');
      expect(clusters).to.contain(broker.brokerAddr);
      await broker.process.stop('SIGTERM');
      expect(await brokersAt(address, { tls })).to.deep.equal([]);
    });

    it(`of ${version} work through a name server whose certificate is made up, as Apache's is by default`, async () => {
      await using nameServer = await NameServerProcess.start();
      const { address } = nameServer;
      const broker = await apache.startBroker(version, address, {
        tls: true,
        tlsCert: certificates.server.certPath,
        tlsKey: certificates.server.keyPath,
      });
      await eventually(async () => ((await brokersAt(address, {})).includes(broker.brokerAddr) ? true : undefined), {
        what: 'the broker in the cluster info',
        timeoutMillis: 30_000,
      });
      const roundtrip = [address, 'RoundtripTopic', String(MESSAGES), '60'];
      const output = await apache.java(version, 'tls=true', 'Roundtrip.java', ...roundtrip);
      expect(output).to.contain(`received all ${MESSAGES}`);
      await broker.process.stop('SIGTERM');
    });
  }

  it('and rmq-agent with its own certificate is in the routes of Apache 5.3.3 and ours that take nothing else', async () => {
    const { server, client, stranger, ca } = certificates;
    const asked = {
      'tls.server.need.client.auth': 'require',
      'tls.server.authClient': true,
      'tls.server.trustCertPath': ca.certPath,
    };
    const apacheServer = await apache.startNameServer('5.3.3', {
      tlsMode: 'enforcing',
      tlsCert: server.certPath,
      tlsKey: server.keyPath,
      ...Object.fromEntries(Object.entries(asked).map(([key, value]) => [`-D${key}`, value])),
    });
    await using ours = await NameServerProcess.start({
      settings: {
        'tls.server.mode': 'enforcing',
        'tls.server.certPath': server.certPath,
        'tls.server.keyPath': server.keyPath,
        ...asked,
      },
    });
    const addresses = [`127.0.0.1:${apacheServer.port}`, ours.address];
    const tls = { ...client, trustCertPath: ca.certPath };
    for (const address of addresses) expect(await brokersAt(address, {}), address).to.equal('CONNECTION_CLOSED');

    const run = async (name: string, files: object, ...args: readonly string[]): Promise<CapturedProcess> => {
      const file = join(directory.path, `${name}.yaml`);
      const config = {
        namesrv: { addresses, tls: { ...files, verifyHostname: true } },
        identity: { brokerName: 'node-a', address: '127.0.0.1' },
        topics: { sources: [{ static: [{ topic: 'A' }, { topic: 'B' }] }] },
        state: { dir: join(directory.path, name) },
        admin: { port: 0 },
      };
      await writeFile(file, JSON.stringify(config));
      return new CapturedProcess({
        name: `rmq-agent ${name}`,
        command: join(repositoryRoot, 'scripts/rmq-agent'),
        args: ['-c', file, ...args],
        cwd: directory.path,
      });
    };
    await using stranded = await run('stranger', { ...stranger, trustCertPath: ca.certPath }, '--once');
    expect(await stranded.waitForExit(20_000), stranded.tail()).to.include({ code: 1 });
    await using agent = await run('agent', tls);
    await agent.waitForOutput(/registered with 2 of 2 name servers/, 20_000);
    for (const address of addresses)
      expect(await brokersAt(address, { tls }), address).to.deep.equal(['127.0.0.1:10911']);
    expect(await agent.stop('SIGTERM', 8_000), agent.tail()).to.deep.equal({ code: 0, signal: null });
    // 5.3.3 answers before it removes.
    for (const address of addresses)
      await eventually(async () => ((await brokersAt(address, { tls })).length === 0 ? true : undefined), {
        what: `no broker at ${address}`,
        timeoutMillis: 5_000,
      });
  });
});
