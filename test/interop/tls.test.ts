import { GetBrokerClusterInfo } from '@rmqns/protocol';
import { RemotingClient, type RemotingClientOptions } from '@rmqns/remoting';
import {
  ApacheProcesses,
  type Certificates,
  createCertificates,
  eventually,
  NameServerProcess,
  requireInterop,
  TemporaryDirectory,
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
  let apache: ApacheProcesses;
  let directory: TemporaryDirectory;
  let certificates: Certificates;

  before(async function () {
    this.timeout(300_000);
    requireInterop(this);
    // It is about what our name server asks of them, which Apache's need not be told the same way.
    if (controlVersion !== undefined) this.skip();
    apache = await ApacheProcesses.create();
    for (const version of ['4.9.7', '5.3.3'] as const) await apache.fetch(version);
    directory = await TemporaryDirectory.create();
    certificates = await createCertificates(directory.path);
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
  });

  for (const version of ['4.9.7', '5.3.3'] as const) {
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
});
