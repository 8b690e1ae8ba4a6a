import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { startTestServer } from '../../src/testing.js';

/** Of the answers that broke another package's reader. */
const BODY_BYTES = 7_800;
const CALLS = 64;
const LARGE_BODY_BYTES = 1 << 20;

/** Node cannot set the buffers of a socket, and on Linux alone the least is given to whoever asks for less. */
const canBeTiny = process.platform === 'linux' && spawnSync('python3', ['-c', '']).status === 0;

/** Passes on what comes, with the least buffers that the system gives a socket; tells its port and how large they are. */
const relay = `
import socket, sys, threading

def tiny(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Segments that fit into the window: a larger one waits for a timer of the system's, which backs off.
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    return s

def pump(source, sink):
    try:
        while data := source.recv(700):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass

listener = tiny(socket.socket())
listener.bind(('127.0.0.1', 0))
listener.listen()
print(listener.getsockname()[1], listener.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF), flush=True)
near = tiny(listener.accept()[0])
far = tiny(socket.socket())
far.connect(('127.0.0.1', int(sys.argv[1])))
threading.Thread(target=pump, args=(near, far), daemon=True).start()
pump(far, near)
`;

describe('A connection with tiny buffers', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    if (child === undefined || child.exitCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });

  if (canBeTiny)
    it(`carries ${CALLS} calls of ${BODY_BYTES} bytes and one of 1 MiB at once, in many more pieces than frames (W57)`, async () => {
      let pieces = 0;
      await using pair = await startTestServer({
        client: {
          initChannel: (channel) => {
            channel.pipeline.addFirst('counter', {
              channelRead(ctx, message) {
                pieces++;
                ctx.fireChannelRead(message);
              },
            });
          },
        },
      });
      pair.server.registerProcessor(1, {
        processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
      });
      child = spawn('python3', ['-c', relay, String(parseSocketAddress(pair.address).port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (child.stdout === null) throw new Error('it has no stdout');
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const [port, bufferBytes] = line.split(' ').map(Number);
      expect(bufferBytes).to.be.below(BODY_BYTES);
      const bodies = [
        ...Array.from({ length: CALLS }, (_, i) => Buffer.alloc(BODY_BYTES, i)),
        Buffer.alloc(LARGE_BODY_BYTES, 'large'),
      ];
      const answers = await Promise.all(
        bodies.map((body) => pair.client.invokeSync(`127.0.0.1:${port}`, RemotingCommand.request(1, { body }), 10_000)),
      );
      for (const [i, { body }] of answers.entries())
        expect(bodies[i]?.equals(body ?? Buffer.of()), `answer ${i}`).to.equal(true);
      expect(pieces).to.be.above(2 * bodies.length);
    });
});
