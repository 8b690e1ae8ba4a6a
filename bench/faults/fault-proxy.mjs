import { connect, createServer } from 'node:net';

/** Stands between a client and a server and does to their bytes what networks and other programs do. */
export async function startFaultProxy(serverPort) {
  const links = new Set();
  let isRefusing = false;
  const server = createServer((client) => {
    client.on('error', () => {});
    if (isRefusing) {
      client.resetAndDestroy();
      return;
    }
    links.add(new Link(client, connect({ port: serverPort, host: '127.0.0.1' })));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    /** New connections are reset at once, or pass. */
    refuse: (refuses) => {
      isRefusing = refuses;
    },
    /** Answers are not read from now on. */
    holdAnswers() {
      for (const link of links) link.server.pause();
    },
    /** After so many more bytes in a direction of each link: `hold` what follows, or `reset` both ends. */
    limit(direction, bytes, action) {
      for (const link of links) link.limit(direction, bytes, action);
    },
    reset() {
      for (const link of links) link.reset();
    },
    /** When the server closed its ends by itself, as milliseconds since the epoch. */
    serverCloses: () => [...links].map((link) => link.serverClosedAt),
    /** Bytes that the server was given, or the system for it. */
    bytesUp: () => [...links].reduce((sum, link) => sum + link.bytesUp, 0),
    /** When a limit was reached first. */
    limitReachedAt: () => [...links].map((link) => link.limitReachedAt).find((at) => at !== undefined),
    close() {
      for (const link of links) link.end();
      server.close();
    },
  };
}

class Link {
  serverClosedAt;
  limitReachedAt;
  /** Bytes that the server was given. */
  bytesUp = 0;
  #limit;
  /** Ended by the client or by the proxy. */
  #isOver = false;

  constructor(client, server) {
    this.client = client;
    this.server = server;
    server.on('error', () => {});
    server.once('close', () => {
      if (!this.#isOver) this.serverClosedAt = Date.now();
      this.end();
    });
    client.once('close', () => this.end());
    this.#pass('up', client, server);
    this.#pass('down', server, client);
  }

  limit(direction, bytes, action) {
    this.#limit = { direction, left: bytes, action };
  }

  reset() {
    this.limitReachedAt ??= Date.now();
    this.#isOver = true;
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  end() {
    this.#isOver = true;
    this.client.destroy();
    this.server.destroy();
  }

  #pass(direction, from, to) {
    from.on('data', (chunk) => {
      const limit = this.#limit;
      let passed = chunk;
      if (limit?.direction === direction) {
        passed = chunk.subarray(0, limit.left);
        limit.left -= passed.length;
      }
      if (direction === 'up') this.bytesUp += passed.length;
      if (passed.length > 0 && !to.write(passed)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
      if (limit?.direction === direction && limit.left === 0) this.#limitReached(limit, from, to);
    });
  }

  #limitReached({ action }, from, to) {
    if (this.limitReachedAt !== undefined) return;
    if (action === 'hold') {
      this.limitReachedAt = Date.now();
      from.pause();
      return;
    }
    // What was passed must have left before the connection is torn.
    to.write('', () => setTimeout(() => this.reset(), 5));
  }
}
