// A key-value store: bodies of bytes, an answer that says no, and a write that succeeds only if nobody was faster.
import { CommandError, defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';

const KEY_NOT_FOUND = 9201;
const VERSION_CONFLICT = 9202;

const Get = defineCommand({ code: 9201, name: 'KV_GET', request: { key: t.string() }, response: { version: t.int() } });
const Put = defineCommand({
  code: 9202,
  name: 'KV_PUT',
  request: {
    key: t.string(),
    /** Put only if this is the version that is there; 0: only if none is. */
    expectedVersion: t.int().optional(),
  },
  response: { version: t.int() },
});

interface Entry {
  readonly version: number;
  readonly value: Uint8Array;
}

const entries = new Map<string, Entry>();
const server = new RemotingServer({ host: '127.0.0.1', port: 0 });
server.handle(Get, ({ header }) => {
  const entry = entries.get(header.key);
  // Becomes exactly this answer. The caller gets it as a CommandError.
  if (entry === undefined) throw new CommandError(KEY_NOT_FOUND, `there is no ${header.key}`);
  return { header: { version: entry.version }, body: entry.value };
});
server.handle(Put, ({ header, body }) => {
  const version = entries.get(header.key)?.version ?? 0;
  if (header.expectedVersion !== undefined && header.expectedVersion !== version)
    throw new CommandError(VERSION_CONFLICT, `${header.key} has version ${version}`);
  // A body is a view of what was read from the socket. Whoever keeps it copies it, or the whole chunk is kept.
  entries.set(header.key, { version: version + 1, value: Uint8Array.from(body ?? []) });
  return { header: { version: version + 1 } };
});
await server.start();

const client = new RemotingClient();
const put = (key: string, value: string, expectedVersion?: number) =>
  client.call(server.address, Put, { key, expectedVersion }, { body: Buffer.from(value) });

await put('city', 'Hangzhou');
const found = await client.call(server.address, Get, { key: 'city' });
console.log(`city is ${Buffer.from(found.body ?? []).toString()}, version ${found.header.version}`);

await put('city', 'Berlin', found.header.version);
for (const attempt of [
  () => put('city', 'Lima', found.header.version),
  () => client.call(server.address, Get, { key: 'country' }),
]) {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.log(`refused with ${error.responseCode}: ${error.remark}`);
  }
}

await client.close();
await server.close();
