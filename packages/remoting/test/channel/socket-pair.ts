import { once } from 'node:events';
import net from 'node:net';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { SocketChannel, type SocketChannelOptions } from '../../src/channel/socket-channel.js';

export interface Pair {
  readonly channel: SocketChannel;
  readonly peer: net.Socket;
  readonly socket: net.Socket;
}

/** What {@link destroyOpen} ends. */
export const open: { destroy(): unknown }[] = [];

/** A channel at the accepting end of a loopback connection, started, and the bare socket at the other. */
export async function pair(
  handlers: Record<string, ChannelHandler> = {},
  options: SocketChannelOptions = {},
): Promise<Pair> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const peer = net.connect({
    port: (server.address() as net.AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  const [socket] = (await accepted) as [net.Socket];
  if (peer.connecting) await once(peer, 'connect');
  server.close();
  const channel = new SocketChannel(socket, options);
  for (const [name, handler] of Object.entries(handlers)) channel.pipeline.addLast(name, handler);
  open.push(peer, channel);
  channel.start();
  return { channel, peer, socket };
}

/** Resolves with what came once it is so many bytes. */
export async function readUntil(socket: net.Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

/** After each test. */
export function destroyOpen(): void {
  for (const thing of open.splice(0)) thing.destroy();
}

/** Resolves when the channel has waiting bytes and none of them has gone for some turns. */
export async function stalled(channel: SocketChannel): Promise<void> {
  for (let quiet = 0, last = -1; quiet < 50; last = channel.bytesWritten) {
    await new Promise((resolve) => setImmediate(resolve));
    quiet = channel.pendingBytes > 0 && channel.bytesWritten === last ? quiet + 1 : 0;
  }
}
