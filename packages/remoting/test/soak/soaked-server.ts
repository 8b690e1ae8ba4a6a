/**
 * A server in a process of its own, to be killed, stopped and soaked; run by {@link ServerProcess}. Arguments: where it listens, as JSON. Says
 * its address, and how it fares when asked. Closes when told, and then ends by itself.
 */
import { createExtFields, RemotingCommand, RemotingServer } from '../../src/index.js';
import { askedFor, type Tells, type Told } from './soak-codes.js';

const tell = (message: Tells): void => void process.send?.(message);
const { host, port } = JSON.parse(process.argv[2] ?? '{}') as { readonly host?: string; readonly port?: number };
const server = new RemotingServer({ host: host ?? '127.0.0.1', port: port ?? 0 });
const answer = Buffer.alloc(64 * 1024, 'a');
const success = RemotingCommand.response;

server.registerProcessor(askedFor.echo, { processRequest: (_ctx, { body }) => success(0, undefined, { body }) });
server.registerProcessor(askedFor.much, { processRequest: () => success(0, undefined, { body: answer }) });
server.registerProcessor(askedFor.never, { processRequest: () => new Promise(() => {}) });
server.registerProcessor(askedFor.pid, { processRequest: () => success(0, String(process.pid)) });
server.registerProcessor(askedFor.state, {
  processRequest(_ctx, { extFields }) {
    // Twice: the memory of array buffers is given back by a thread, for which the second one waits.
    if (extFields?.['gc'] === 'true') for (let times = 0; times < 2; times++) globalThis.gc?.();
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const state = { rss, held: heapUsed + arrayBuffers, channels: server.channels.size };
    return success(0, undefined, {
      extFields: createExtFields(
        Object.fromEntries(Object.entries(state).map(([name, value]) => [name, String(value)])),
      ),
    });
  },
});

process.on('message', (told: Told) => {
  if (told === 'reset') for (const channel of server.channels) channel.destroy();
  else void close();
});
// The parent's end is this one's.
process.on('disconnect', () => void server.destroy());
await server.start();
tell({ address: server.address });

async function close(): Promise<void> {
  const { cut } = await server.close({ goAwayMillis: 2_000 });
  tell({ closed: { cut } });
  process.disconnect?.();
}
