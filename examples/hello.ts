import { defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';

// 1. The contract, shared by both ends: header fields travel in extFields.
export const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string(), times: t.int().default(1) },
  response: { text: t.string() },
});

// 2. A server: one interceptor, one handler.
const server = new RemotingServer({ port: 0, host: '127.0.0.1' });
server.use(async (ctx, next) => {
  const began = performance.now();
  await next();
  console.log(ctx.command.name, `${(performance.now() - began).toFixed(1)} ms`);
});
server.handle(Greet, ({ header, signal }) => {
  signal.throwIfAborted();
  return { header: { text: `hello ${header.name} `.repeat(header.times).trim() } };
});
await server.start();

// 3. A client: request/response, one-way, and a deadline.
const client = new RemotingClient({ timeoutMillis: 3_000 });
const reply = await client.call(server.address, Greet, { name: 'Ada', times: 2 });
console.log(reply.header.text); // typed: string
await client.oneway(server.address, Greet, { name: 'Bob' });
await client.close();
await server.close();
