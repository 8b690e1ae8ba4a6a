/** A server in a process with little memory, for never-read.test.ts. Says its address, and how it fares when asked. */
import { createExtFields, RemotingCommand, RemotingServer } from '../../src/index.js';
import { askedFor } from './soak-codes.js';

const { gc } = globalThis;
if (gc === undefined || process.send === undefined) throw new Error('run by never-read.test.ts, with --expose-gc');

const server = new RemotingServer({ port: 0 });
const answer = Buffer.alloc(64 * 1024, 'a');
server.registerProcessor(askedFor.echo, {
  processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
});
server.registerProcessor(askedFor.much, {
  processRequest: () => RemotingCommand.response(0, undefined, { body: answer }),
});
server.registerProcessor(askedFor.state, {
  processRequest(_ctx, { extFields }) {
    if (extFields?.['gc'] === 'true') gc();
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const state = { rss, held: heapUsed + arrayBuffers, channels: server.channels.size };
    return RemotingCommand.response(0, undefined, {
      extFields: createExtFields(
        Object.fromEntries(Object.entries(state).map(([name, value]) => [name, String(value)])),
      ),
    });
  },
});
await server.start();
process.send(server.address);
// The parent's end is this one's.
process.on('disconnect', () => void server.destroy());
