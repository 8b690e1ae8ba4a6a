// npm start: a name server on this machine with a sample broker entry, to look at and to try clients with.
// npm start -- --once: the same, and end after printing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './start-build.mjs';

const HOST = '127.0.0.1';
const FIRST_PORT = 9876;
const LAST_PORT = 9975;
const HEARTBEAT_MILLIS = 30_000;

const stopped = new AbortController();
const cleanups = [];

async function main(args) {
  const unknown = args.find((arg) => arg !== '--once');
  if (unknown !== undefined) throw new Error(`unknown argument ${unknown}; there is only --once`);
  await build(stopped.signal);
  const { RemotingClient } = await import('@rmqns/remoting');
  const { MqVersion } = await import('@rmqns/protocol');
  const { lookUp, SampleBroker, sampleTopic } = await import('./start-sample-broker.mjs');
  const { printWelcome } = await import('./start-welcome.mjs');

  const directory = mkdtempSync(join(tmpdir(), 'rmqns-start-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const nameServer = await startNameServer(join(directory, 'kvConfig.json'));
  cleanups.push(() => nameServer.close());
  const { address } = nameServer;

  const client = new RemotingClient({ version: MqVersion.V5_3_3 });
  cleanups.push(() => client.close());
  const broker = new SampleBroker(client, address);
  await broker.register();
  const route = await lookUp(client, address, sampleTopic);
  stopped.signal.throwIfAborted();
  printWelcome({ address, directory, broker, topic: sampleTopic, route });
  if (args.includes('--once')) return;

  process.stdout.write('Serving until Ctrl-C. The sample broker registers again every 30 s.\n');
  const heartbeat = setInterval(() => {
    broker
      .register()
      .catch((error) => process.stderr.write(`npm start: the sample broker could not register: ${error.message}\n`));
  }, HEARTBEAT_MILLIS);
  cleanups.push(() => clearInterval(heartbeat));
  await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
}

/** The first free port from 9876 on. */
async function startNameServer(kvConfigPath) {
  const { createNameServer } = await import('@rmqns/namesrv');
  for (let port = FIRST_PORT; ; port++) {
    const nameServer = createNameServer({ bindAddress: HOST, listenPort: port, kvConfigPath });
    try {
      await nameServer.start();
      return nameServer;
    } catch (error) {
      await nameServer.close();
      if (error.cause?.code !== 'EADDRINUSE' || port === LAST_PORT) throw error;
      process.stdout.write(`Port ${port} is taken by another program; trying ${port + 1}.\n`);
    }
  }
}

async function cleanUp() {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // The second one does not wait for connections, but leaves no file either.
    if (stopped.signal.aborted) process.exit(1);
    stopped.abort();
  });

let exitCode = 0;
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!stopped.signal.aborted) {
    process.stderr.write(`npm start: ${error.message}\n`);
    exitCode = 1;
  }
}
await cleanUp();
process.exitCode = exitCode;
