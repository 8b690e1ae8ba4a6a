import { RemotingClient, RemotingCommand, RemotingServer } from '../../src/index.js';

/** Makes so many calls over one connection, and tells the heap after a tenth of them and after all, each after a collection. */
const calls = Number(process.argv[2]);
const UNDER_WAY = 64;

const server = new RemotingServer();
server.registerProcessor(1, {
  processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
});
await server.start();
const client = new RemotingClient({ timeoutMillis: 30_000 });

let made = 0;
async function callOn(until: number): Promise<void> {
  while (made < until) {
    made++;
    await client.invokeSync(server.address, RemotingCommand.request(1, { body: Buffer.alloc(64) }));
  }
}

async function heapAfter(count: number): Promise<number> {
  await Promise.all(Array.from({ length: UNDER_WAY }, () => callOn(count)));
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const begun = await heapAfter(Math.ceil(calls / 10));
const ended = await heapAfter(calls);
process.send?.({ made, begun, ended, known: client.describe().channels.length });
await client.close();
await server.close();
process.disconnect();
