// Mutual TLS: each side has a certificate of one CA, shows it, and serves or calls nobody without. Needs `openssl` to make them.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Channel,
  defineCommand,
  isTlsHandshakeEvent,
  RemotingClient,
  RemotingError,
  RemotingServer,
  type TlsHandshakeEvent,
  t,
} from '@rmqns/remoting';

const WhoAmI = defineCommand({
  code: 9401,
  name: 'WHO_AM_I',
  response: { protocol: t.string(), subject: t.string() },
});

const directory = await mkdtemp(join(tmpdir(), 'tls-example-'));
const pem = (name: string) => join(directory, `${name}.pem`);
const key = (name: string) => join(directory, `${name}.key`);

/** Makes a key and a certificate: the CA's own, or one of the CA that is for this machine. */
async function issue(name: string, isCa = false): Promise<void> {
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key(name)];
  const caOptions = isCa ? [] : ['-CA', pem('ca'), '-CAkey', key('ca'), '-addext', 'subjectAltName=IP:127.0.0.1'];
  const options = ['-subj', `/O=Example/CN=${name}`, '-days', '1', ...keyOptions, ...caOptions, '-out', pem(name)];
  await promisify(execFile)('openssl', ['req', '-x509', ...options]);
}
await issue('ca', true);
await issue('server');
await issue('ada');

/** Who is at the other end of a connection. */
const peers = new WeakMap<Channel, TlsHandshakeEvent>();

const server = new RemotingServer({
  host: '127.0.0.1',
  port: 0,
  tls: {
    mode: 'enforcing',
    certPath: pem('server'),
    keyPath: key('server'),
    needClientAuth: 'require',
    trustCertPath: pem('ca'),
  },
  // Behind TLS its event passes by, once for each connection.
  initChannel: (channel) =>
    channel.pipeline.addBefore('dispatcher', 'peer', {
      userEventTriggered(ctx, event) {
        if (isTlsHandshakeEvent(event)) peers.set(ctx.channel, event);
        ctx.fireUserEventTriggered(event);
      },
    }),
});
server.handle(WhoAmI, ({ channel }) => {
  const { protocol = 'no TLS', peerSubject = 'nobody' } = peers.get(channel) ?? {};
  return { header: { protocol, subject: peerSubject.replaceAll('\n', ', ') } };
});
await server.start();

const ada = new RemotingClient({
  tls: { certPath: pem('ada'), keyPath: key('ada'), trustCertPath: pem('ca'), verifyHostname: true },
});
const { header } = await ada.call(server.address, WhoAmI, {});
console.log(`${header.protocol}, and I am ${header.subject}`);

const strangers = {
  'without a certificate': new RemotingClient({ tls: { trustCertPath: pem('ca') } }),
  'without TLS': new RemotingClient(),
};
for (const [how, stranger] of Object.entries(strangers)) {
  try {
    await stranger.call(server.address, WhoAmI, {});
  } catch (error) {
    if (!RemotingError.is(error)) throw error;
    console.log(`refused ${how}`);
  }
  await stranger.close();
}

await ada.close();
await server.close();
await rm(directory, { recursive: true });
