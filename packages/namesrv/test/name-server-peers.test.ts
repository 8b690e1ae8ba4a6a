import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { RequestCode } from '@rmqns/protocol';
import { RemotingClient } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { parseOptionText } from '../src/namesrv-options.js';
import { broker, EMPTY, nameServerFixture, recordingLogger } from './name-server-fixture.js';

describe('a name server, and who connects', () => {
  const { cleanUps, start, connect, ask, register, clusterInfo, route } = nameServerFixture();

  /** A client behind a proxy that says it is another host. */
  function proxied(from: string): RemotingClient {
    const client = new RemotingClient({
      version: 479,
      createConnection: async (address) => {
        const socket = dial(Number(address.split(':')[1]), '127.0.0.1');
        await once(socket, 'connect');
        socket.write(`PROXY TCP4 ${from} 127.0.0.1 40000 9876\r\n`);
        return socket;
      },
    });
    cleanUps.push(() => client.destroy());
    return client;
  }

  const outcome = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );

  it('closes connections above maxConnections, and takes one when another has gone', async () => {
    const server = await start({ maxConnections: 1 });
    const first = connect();
    expect(await clusterInfo(first, server)).to.equal(EMPTY);
    expect(await outcome(clusterInfo(connect(), server))).to.equal('CONNECTION_CLOSED');
    expect(await clusterInfo(first, server)).to.equal(EMPTY);
  });

  it('believes the PROXY header of everyone in profile 5.3.3, and names the client in the log', async () => {
    const { logger, lines } = recordingLogger();
    const server = await start({}, undefined, { logger });
    const response = await register(proxied('10.1.2.3'), server, { bodyCrc32: '1' });
    expect(response.remark).to.equal('crc32 not match');
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).to.deep.equal([
      'receive registerBroker request,crc32 not match,from 10.1.2.3:40000',
    ]);
  });

  for (const [what, options] of [
    ['in profile 4.9.7', { profile: '4.9.7' }],
    ['once registerAllowCidrs is set', { registerAllowCidrs: '127.0.0.0/8' }],
    ['with an empty proxyProtocolFrom', { proxyProtocolFrom: '' }],
    ['of proxies that are not in proxyProtocolFrom', { proxyProtocolFrom: '192.168.0.0/16, fd00::/8' }],
  ] as const)
    it(`closes a connection that begins with a PROXY header ${what}`, async () => {
      const server = await start(options);
      expect(await outcome(clusterInfo(proxied('10.1.2.3'), server))).to.equal('CONNECTION_CLOSED');
      expect(await clusterInfo(connect(), server)).to.equal(EMPTY);
    });

  it('takes registrations from registerAllowCidrs only, going by the header of a proxy that may say so', async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const server = await start({ registerAllowCidrs: '10.1.0.0/16', proxyProtocolFrom: '127.0.0.1' }, clock, {
      logger,
    });
    const [inside, outside] = [proxied('10.1.2.3'), proxied('10.2.2.3')];
    const refused = await register(outside, server);
    expect(refused.code).to.equal(16);
    expect(refused.remark).to.equal(
      '10.2.2.3 may not register brokers here, it is not in registerAllowCidrs of the name server',
    );
    expect(await clusterInfo(outside, server)).to.equal(EMPTY);
    expect((await register(inside, server)).code).to.equal(0);
    expect((await route(outside, server)).code).to.equal(0);
    for (const code of [
      RequestCode.UNREGISTER_BROKER,
      RequestCode.QUERY_DATA_VERSION,
      RequestCode.BROKER_HEARTBEAT,
      RequestCode.REGISTER_TOPIC_IN_NAMESRV,
    ])
      expect((await ask(outside, server, code, { ...broker, topic: 'T' })).code, String(code)).to.equal(16);
    expect((await route(outside, server)).code).to.equal(0);
    const told = () => lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(told()).to.deep.equal([{ address: '10.2.2.3', code: 103 }]);
    clock.advance(60_000);
    await register(proxied('10.2.2.3'), server);
    expect(told()).to.have.length(2);
  });

  it('refuses lists that hold no address, or name nobody who could register', () => {
    expect(parseOptionText('proxyProtocolFrom', '10.0.0.0/8, proxy.example')).to.have.nested.property(
      'problem.problem',
      '"proxy.example" is no IP address, and no range of them such as 10.0.0.0/8',
    );
    expect(parseOptionText('registerAllowCidrs', ' ')).to.have.nested.property('problem.problem', 'names no address');
    expect(parseOptionText('proxyProtocolFrom', '')).to.not.have.property('problem');
  });
});
