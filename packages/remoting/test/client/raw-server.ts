import { createServer, type Server, type Socket } from 'node:net';

export interface RawServer {
  readonly address: string;
  readonly port: number;
  readonly server: Server;
  /** Those that are open. */
  readonly sockets: Set<Socket>;
  /** How many there were. */
  readonly connections: number;
  /** Stops listening, and cuts off what is open. */
  close(): Promise<void>;
}

/** A server that takes connections and does with their bytes what the test says. */
export async function rawServer(onConnection: (socket: Socket) => void, port = 0, path?: string): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) =>
    server.listen(path === undefined ? { port, host: '127.0.0.1' } : { path }, resolve),
  );
  const bound = server.address();
  const boundPort = bound === null || typeof bound === 'string' ? 0 : bound.port;
  return {
    address: path === undefined ? `127.0.0.1:${boundPort}` : `unix:${path}`,
    port: boundPort,
    server,
    sockets,
    get connections() {
      return connections;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Waits for what comes with the next turns of the loop. */
export async function until(condition: () => boolean): Promise<void> {
  const begun = performance.now();
  while (!condition()) {
    if (performance.now() - begun > 5_000) throw new Error(`did not come: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
