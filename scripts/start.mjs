// npm start: a name server, a storage node and an agent on this machine, and a message through them; to look at and to try clients with.
// npm start -- --once: the same, and end after printing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './start-build.mjs';

const TOPIC = 'SampleTopic';

const stopped = new AbortController();
/** How to close what runs, in the order of the start. */
const running = [];

async function main(args) {
  const unknown = args.find((arg) => arg !== '--once');
  if (unknown !== undefined) throw new Error(`unknown argument ${unknown}; there is only --once`);
  await build(stopped.signal);
  const { RemotingClient } = await import('@rmqns/remoting');
  const { MqVersion } = await import('@rmqns/protocol');
  const { startSystem, topics } = await import('./start-system.mjs');
  const { exchange } = await import('./start-exchange.mjs');
  const { printWelcome } = await import('./start-welcome.mjs');
  stopped.signal.throwIfAborted();

  const directory = mkdtempSync(join(tmpdir(), 'rmqns-start-'));
  process.on('exit', () => removeDirectory(directory));
  const { nameServer } = await startSystem(directory, stopped.signal, (what, close) => {
    running.push({ what, close });
    stopped.signal.throwIfAborted();
  });
  const namesrvAddress = nameServer.address;
  const client = new RemotingClient({ version: MqVersion.V5_3_3 });
  running.push({ what: 'the client', close: () => client.close() });
  const exchanged = await exchange(client, namesrvAddress, TOPIC, 'Hello from npm start');
  stopped.signal.throwIfAborted();
  printWelcome({ namesrvAddress, directory, topics, topic: TOPIC, ...exchanged });
  if (args.includes('--once')) return;

  process.stdout.write('Serving until Ctrl-C.\n');
  await new Promise((resolve) => stopped.signal.addEventListener('abort', resolve));
}

/** Closes all that runs, also where one thing fails; says what did not close, and gives the exit code. */
async function cleanUp(exitCode) {
  for (const { what, close } of running.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      process.stderr.write(`npm start: ${what} did not stop cleanly: ${error.message}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}

/** Also at an end in the middle of everything, when files may still come. */
function removeDirectory(directory) {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch (error) {
    process.stderr.write(`npm start: cannot remove ${directory}, please do: ${error.message}\n`);
    process.exitCode = 1;
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // The second one does not wait for connections, but leaves no file either.
    if (stopped.signal.aborted) process.exit(1);
    stopped.abort();
  });

// A reader that goes away (`npm start | head -1`) has seen enough.
process.stdout.on('error', () => stopped.abort());

let exitCode = 0;
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!stopped.signal.aborted) {
    process.stderr.write(`npm start: ${error.message}\n`);
    exitCode = 1;
  }
}
process.exitCode = await cleanUp(exitCode);
