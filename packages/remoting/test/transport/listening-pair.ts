import { once } from 'node:events';
import type { Server } from 'node:net';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { TestPair } from '../../src/testing.js';
import type { TransportOptions } from './conformance.js';

/** A transport by its two ends: a server that gives each connection to `accept`, and a way to connect to it. */
export interface Listening {
  readonly listener: Server;
  connect(): ChannelSocket;
}

/** A pair over connections that a listener of the test's accepts. */
export async function listeningPair(
  options: TransportOptions,
  listen: (accept: (socket: ChannelSocket) => void) => Promise<Listening>,
): Promise<TestPair> {
  const server = new RemotingServer(options.server);
  const { listener, connect } = await listen((socket) => server.accept(socket));
  const sockets = new Set<ChannelSocket>();
  const client = new RemotingClient({ ...options.client, createConnection: connect });
  const destroy = async (): Promise<void> => {
    const closed = listener.listening ? once(listener, 'close') : undefined;
    listener.close();
    for (const socket of sockets) socket.destroy();
    await client.destroy();
    await server.destroy();
    await closed;
  };
  return {
    server,
    client,
    address: 'listener:1',
    connect() {
      const socket = connect();
      socket.on('error', () => {});
      sockets.add(socket);
      return socket;
    },
    destroy,
    [Symbol.asyncDispose]: destroy,
  };
}
