import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { RequestCode } from '@rmqns/protocol';
import { encodeFrame, RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import type { NameServer } from '../src/name-server.js';
import { broker, nameServerFixture, recordingLogger } from './name-server-fixture.js';

describe('a name server, sent a registration that fits into no frame', () => {
  const { start, connect, register } = nameServerFixture();

  /** Sends bytes and waits until the server has closed the connection. */
  async function send(server: NameServer, bytes: Uint8Array): Promise<void> {
    const socket = dial(Number(server.address.split(':').at(-1)), '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write(bytes);
    await once(socket, 'close');
  }

  const frame = (code: number, body: Uint8Array) =>
    Buffer.concat(encodeFrame(RemotingCommand.request(code, { extFields: { ...broker }, body })));

  it('says in the log which broker, how large, and what to do', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({ maxFrameBytes: 100_000 }, undefined, { logger });
    await send(server, frame(RequestCode.REGISTER_BROKER, Buffer.alloc(200_000)));
    const [line] = lines.filter(({ level }) => level === 'warn');
    expect(line?.message).to.match(
      /^registration of broker broker-a \(.+\) from 127\.0\.0\.1:\d+ refused: its frame has 200\d\d\d bytes/,
    );
    expect(line?.message)
      .to.contain('more than the 100000')
      .and.contain('compressedRegister=true')
      .and.contain('maxFrameBytes');
    expect(line?.fields).to.include({ broker: 'broker-a', maxFrameBytes: 100_000 });
  });

  it('says nothing of what others send, be it a frame or not', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({ maxFrameBytes: 100_000 }, undefined, { logger });
    await send(server, frame(RequestCode.GET_ROUTEINFO_BY_TOPIC, Buffer.alloc(200_000)));
    await send(server, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    await send(server, Buffer.from('7fffffff', 'hex'));
    await register(connect(), server);
    expect(lines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
  });
});
