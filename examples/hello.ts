import { defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';

// 1. The contract, shared by both ends: header fields travel as texts, and have their types here.
const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string(), times: t.int().default(1) },
  response: { text: t.string() },
});

// 2. A server: one interceptor, one handler. Port 0 takes any that is free.
const server = new RemotingServer({ host: '127.0.0.1', port: 0 });
server.use(async (ctx, next) => {
  const began = performance.now();
  await next();
  process.stdout.write(`${ctx.command.name} ${(performance.now() - began).toFixed(1)} ms\n`);
});
server.handle(Greet, ({ header, signal }) => {
  signal.throwIfAborted();
  return { header: { text: `hello ${header.name} `.repeat(header.times).trim() } };
});
await server.start();

// 3. A client: a call with its answer, one with a deadline, and one without an answer.
const client = new RemotingClient({ timeoutMillis: 3_000 });
const reply = await client.call(server.address, Greet, { name: 'Ada', times: 2 });
process.stdout.write(`${reply.header.text}\n`);
await client.call(server.address, Greet, { name: 'Eve' }, { timeoutMillis: 500 });
await client.oneway(server.address, Greet, { name: 'Bob' });

// 4. Both let what is under way end; then the process ends by itself.
await client.close();
await server.close();
