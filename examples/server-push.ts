// A chat: the server calls its clients back over the connections that they made.
import { type Channel, defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';

const Join = defineCommand({ code: 9101, name: 'JOIN', request: { name: t.string() } });
const Say = defineCommand({ code: 9102, name: 'SAY', request: { text: t.string() } });
/** Sent by the server. */
const Said = defineCommand({ code: 9103, name: 'SAID', request: { name: t.string(), text: t.string() } });

const members = new Map<Channel, string>();
const server = new RemotingServer({ host: '127.0.0.1', port: 0 });
server.on('close', (channel) => members.delete(channel));
server.handle(Join, ({ header, channel }) => {
  members.set(channel, header.name);
});
server.handle(Say, async ({ header, channel }) => {
  const name = members.get(channel) ?? 'a stranger';
  // A member whose connection breaks now misses the line; the others do not.
  await Promise.allSettled([...members.keys()].map((member) => server.call(member, Said, { name, text: header.text })));
});
await server.start();

async function join(name: string): Promise<RemotingClient> {
  const client = new RemotingClient();
  client.handle(Said, ({ header }) => {
    if (header.name !== name) console.log(`${name} reads: ${header.name}: ${header.text}`);
  });
  await client.call(server.address, Join, { name });
  return client;
}

const ada = await join('Ada');
const bob = await join('Bob');
await ada.call(server.address, Say, { text: 'is anybody there?' });
await bob.call(server.address, Say, { text: 'yes' });

await Promise.all([ada.close(), bob.close()]);
await server.close();
