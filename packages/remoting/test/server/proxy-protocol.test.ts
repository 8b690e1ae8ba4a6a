import { connect } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { proxyV2 } from '../codec/proxy-header-fixture.js';

describe('RemotingServer behind a proxy', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A server that answers with its peer's address, and the addresses of its connect events. */
  async function start(proxyProtocolFrom: readonly string[]): Promise<{ server: RemotingServer; connected: string[] }> {
    const server = new RemotingServer({ proxyProtocolFrom });
    cleanUps.push(() => server.destroy());
    server.registerProcessor(1, {
      processRequest: ({ channel }) => RemotingCommand.response(0, channel.remoteAddress),
    });
    const connected: string[] = [];
    server.on('connect', (channel) => connected.push(channel.remoteAddress));
    await server.start();
    return { server, connected };
  }

  /** Sends a prefix and a request; the remark of the answer, or undefined when the server closed instead. */
  function ask(server: RemotingServer, prefix: Buffer): Promise<string | undefined> {
    const socket = connect(parseSocketAddress(server.address));
    cleanUps.push(() => socket.destroy());
    socket.write(Buffer.concat([prefix, ...encodeFrame(RemotingCommand.request(1))]));
    const splitter = new FrameSplitter();
    return new Promise((resolve) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve(undefined));
      socket.on('data', (chunk) => {
        splitter.push(chunk);
        const frame = splitter.next();
        if (frame !== undefined) resolve(decodeFrame(frame).remark);
      });
    });
  }

  const v1 = Buffer.from('PROXY TCP6 2001:db8::7 ::1 4000 9876\r\n');

  it('answers a request behind a header of either version, and knows the client by its own address (A31)', async () => {
    const { server, connected } = await start(['127.0.0.0/8']);
    expect(await ask(server, proxyV2())).to.equal('10.1.2.3:4000');
    expect(await ask(server, v1)).to.equal('[2001:db8::7]:4000');
    expect(connected).to.deep.equal(['10.1.2.3:4000', '[2001:db8::7]:4000']);
  });

  it('serves a trusted peer that sends no header', async () => {
    const { server } = await start(['127.0.0.1']);
    expect(await ask(server, Buffer.of())).to.match(/^127\.0\.0\.1:\d+$/);
  });

  it('puts the decoder first, before whatever looks at the bytes', async () => {
    let names: string[] = [];
    const server = new RemotingServer({
      proxyProtocolFrom: ['127.0.0.1'],
      initChannel: (channel) => {
        names = channel.pipeline.names();
      },
    });
    cleanUps.push(() => server.destroy());
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, 'ok') });
    await server.start();
    expect([await ask(server, v1), names[0]]).to.deep.equal(['ok', 'proxyProtocol']);
  });

  it('takes a header from nobody else: there it is a bad frame', async () => {
    for (const from of [[], ['10.0.0.0/8', '::1']]) {
      const { server, connected } = await start(from);
      for (const header of [v1, proxyV2()]) expect(await ask(server, header)).to.equal(undefined);
      expect(connected.every((address) => address.startsWith('127.0.0.1:'))).to.equal(true);
    }
  });

  it('names an entry of proxyProtocolFrom that is no address', () => {
    expect(() => new RemotingServer({ proxyProtocolFrom: ['10.0.0.0/99'] })).to.throw(
      'options of RemotingServer: proxyProtocolFrom cannot be: "10.0.0.0/99" is no IP address',
    );
    expect(() => new RemotingServer({ proxyProtocolFrom: '10.0.0.1' as unknown as string[] })).to.throw(
      'proxyProtocolFrom must be a list of strings',
    );
  });
});
