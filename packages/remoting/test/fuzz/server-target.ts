import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { bytes, defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { CommandError } from '../../src/errors.js';
import type { SeededRandom } from '../../src/testing/seeded-random.js';
import { startTestServer, type TestPair } from '../../src/testing.js';
import { chunksOf, type FuzzInput } from './mutations.js';

const Echo = defineCommand({
  code: 77,
  name: 'FUZZ_ECHO',
  request: { text: t.string() },
  response: { text: t.string() },
  requestBody: bytes(),
  responseBody: bytes(),
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How long a hostile connection stays for answers, in turns of the loop, before it leaves. */
const PATIENCE_TURNS = 40;

/** A live server with handlers of all kinds for the codes of the captured frames. */
export async function startFuzzedServer(): Promise<TestPair> {
  const pair = await startTestServer({ client: { timeoutMillis: 20_000 } });
  const { server } = pair;
  server.handle(Echo, ({ header, body }) => ({ header: { text: header.text }, body }));
  server.registerDefaultProcessor({
    processRequest(_ctx, request) {
      switch (request.code & 7) {
        case 0:
          throw new CommandError(17, request.remark);
        case 1:
          throw new Error('a processor fails');
        case 2:
          return Promise.resolve(RemotingCommand.response(0, undefined, { body: request.body }));
        case 3:
          return undefined;
        default:
          return RemotingCommand.response(request.code, request.remark, {
            extFields: createExtFields(request.extFields),
            body: request.body,
          });
      }
    },
  });
  return pair;
}

/** Sends an input over a connection of its own and leaves: by its end, or at once, or by waiting for the server to close. */
export async function attack(pair: TestPair, random: SeededRandom, input: FuzzInput): Promise<void> {
  const socket = pair.connect();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // Some never read.
  if (random.chance(0.8)) socket.resume();
  const manner = random.integer(0, 2);
  for (const chunk of chunksOf(input)) {
    if (socket.destroyed) break;
    socket.write(chunk);
    if (random.chance(0.3)) await turn();
  }
  if (manner === 0) socket.end();
  if (manner !== 1) await patience(socket);
  socket.destroy();
  await closed;
}

async function patience(socket: ChannelSocket): Promise<void> {
  for (let turns = 0; turns < PATIENCE_TURNS && !socket.destroyed; turns++) await turn();
}

/** A call of a good client, whose answer must be right whatever the others send. */
export async function goodCall({ client, address }: TestPair, random: SeededRandom): Promise<void> {
  const text = `good ${random.integer(0, 1_000_000)}`;
  const body = Buffer.alloc(random.integer(0, 3_000), random.integer(0, 255));
  const reply = await client.call(address, Echo, { text }, { body });
  const same = reply.header.text === text && body.equals(reply.body ?? Buffer.alloc(0));
  if (!same) throw new Error(`a good client sent ${text} with ${body.length} bytes and got ${reply.header.text}`);
}

/** Waits until the server has let go of all connections but the good client's. */
export async function connectionsGone({ server }: TestPair): Promise<void> {
  const began = performance.now();
  while (server.channels.size > 1) {
    if (performance.now() - began > 5_000) throw new Error(`${server.channels.size - 1} hostile connections are kept`);
    await turn();
  }
}
