import { connect } from 'node:net';
import { parseSocketAddress } from '../channel/socket-address.js';
import type { ChannelSocket } from '../channel/socket-channel.js';
import type { RemotingClientOptions } from '../client/client-options.js';
import { RemotingClient } from '../client/remoting-client.js';
import type { Clock } from '../clock.js';
import { RemotingServer, type StartOptions } from '../server/remoting-server.js';
import type { RemotingServerOptions } from '../server/server-options.js';
import { createMemorySockets } from './memory-socket.js';

/** A server and a client that are one test's own. `await using` ends both. */
export interface TestPair extends AsyncDisposable {
  readonly server: RemotingServer;
  readonly client: RemotingClient;
  /** Where the client finds the server. */
  readonly address: string;
  /** A bare connection to the server, for bytes that no client would send. The pair's end ends it too. */
  connect(): ChannelSocket;
  /** Ends both and all connections at once; calls under way end with `CLOSED`. Twice is as good as once. */
  destroy(): Promise<void>;
}

export interface TestPairOptions {
  /** For both sides, unless one has its own. Default the machine's. */
  readonly clock?: Clock | undefined;
  readonly server?: RemotingServerOptions | undefined;
  readonly client?: RemotingClientOptions | undefined;
}

export interface CreatePairOptions extends TestPairOptions {
  /** Given the client's end of each new connection; what it returns is used instead, for instance `chaos(socket, …)`. */
  readonly wrapSocket?: ((socket: ChannelSocket) => ChannelSocket) | undefined;
}

/**
 * A server and a client joined in memory: real pipelines and frames, but no socket, no port and no wait. What one side sends is with the
 * other after a turn or two of the event loop, so with a {@link ManualClock} a test of timeouts takes no time.
 *
 * ```ts
 * await using pair = createPair();
 * pair.server.handle(Greet, ({ header }) => ({ header: { text: `hello ${header.name}` } }));
 * const reply = await pair.client.call(pair.address, Greet, { name: 'Ada' });
 * ```
 *
 * The client reaches the server by any address; `pair.address` is `memory:1`.
 */
export function createPair(options: CreatePairOptions = {}): TestPair {
  const { clock, wrapSocket = (socket) => socket } = options;
  const server = new RemotingServer({ clock, ...options.server });
  let lastPort = 1;
  const open = (): ChannelSocket => {
    const [near, far] = createMemorySockets({ localPort: ++lastPort });
    server.accept(far);
    return near;
  };
  const client = new RemotingClient({ clock, ...options.client, createConnection: () => wrapSocket(open()) });
  return testPair(server, client, 'memory:1', open);
}

/** A server on a free port of the loopback interface and a client; for what has to go through the operating system. */
export async function startTestServer(options: TestPairOptions & StartOptions = {}): Promise<TestPair> {
  const { clock } = options;
  const server = new RemotingServer({ clock, ...options.server, port: 0 });
  const client = new RemotingClient({ clock, ...options.client });
  await server.start({ signal: options.signal });
  return testPair(server, client, server.address, () => connect(parseSocketAddress(server.address)));
}

function testPair(
  server: RemotingServer,
  client: RemotingClient,
  address: string,
  open: () => ChannelSocket,
): TestPair {
  const sockets = new Set<ChannelSocket>();
  const destroy = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await client.destroy();
    await server.destroy();
  };
  return {
    server,
    client,
    address,
    connect() {
      const socket = open();
      // Whoever cares listens as well; an error that nobody awaits must not end the test's process.
      socket.on('error', () => {});
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    destroy,
    [Symbol.asyncDispose]: destroy,
  };
}
