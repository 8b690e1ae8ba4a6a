import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

describe('a connection that is full both ways', () => {
  it('carries large requests and large answers at the same time', async () => {
    await using server = new RemotingServer();
    server.registerProcessor(1, {
      processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
    });
    await server.start();
    await using client = new RemotingClient();
    const bodies = [1, 2, 3, 4].map((fill) => Buffer.alloc(12 * 1024 * 1024, fill));
    const answers = await Promise.all(
      bodies.map((body) => client.invokeSync(server.address, RemotingCommand.request(1, { body }), 9_000)),
    );
    expect(answers.map(({ body }, i) => body !== undefined && bodies[i]?.equals(body))).to.deep.equal(
      bodies.map(() => true),
    );
  });

  it('ends when a server asks its client on and on and takes no answer', async () => {
    const request = Buffer.concat(encodeFrame(RemotingCommand.request(2)));
    const flood = Buffer.concat(Array.from({ length: 1_000 }, () => request));
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      const pour = (): void => {
        while (!socket.destroyed && socket.write(flood));
        socket.once('drain', pour);
      };
      pour();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      await using client = new RemotingClient();
      let answered = 0;
      const body = Buffer.alloc(100_000);
      client.registerProcessor(2, {
        processRequest: () => {
          answered++;
          return RemotingCommand.response(0, undefined, { body });
        },
      });
      const channel = await client.connect(`127.0.0.1:${port}`);
      const error = await channel.closed;
      expect(error?.message).to.match(/asked 1025 times while it took no answer/);
      // What the operating system took, and the bound.
      expect(answered).to.be.lessThan(1_300);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
