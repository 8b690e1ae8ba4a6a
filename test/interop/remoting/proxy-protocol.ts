import { RemotingClient, RemotingCommand, RemotingServer } from '@rmqns/remoting';
import type { ApacheVersion } from '@rmqns/test-kit';
import { expect } from 'chai';
import { Code, type JavaRemoting } from './java-remoting.js';
import { Relay } from './relay.js';
import { serveAsJava } from './serve-as-java.js';

const SOURCE = '192.0.2.7:56324';

/** Headers for a TCP connection from {@link SOURCE}. */
const headers: readonly [name: string, header: Buffer][] = [
  ['v1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 56324 9876\r\n')],
  [
    'v2',
    Buffer.concat([
      // The signature; PROXY over IPv4 and TCP; 12 bytes of addresses and ports, and a piece that names the host (PP2_TYPE_AUTHORITY).
      Buffer.from('0d0a0d0a000d0a515549540a2111001b', 'hex'),
      Buffer.from([192, 0, 2, 7, 198, 51, 100, 1, 56324 >> 8, 56324 & 0xff, 9876 >> 8, 9876 & 0xff]),
      Buffer.from([2, 0, 12]),
      Buffer.from('example.test'),
    ]),
  ],
];

/** The PROXY protocol before the calls of our remoting and Java's, by a relay between them. */
export function describeProxyProtocol(java: () => JavaRemoting, version: ApacheVersion): void {
  describe('behind a proxy that tells who calls', () => {
    for (const [name, header] of headers) {
      it(`takes the address of Java's client from a ${name} header`, async () => {
        await using server = new RemotingServer({ proxyProtocolFrom: ['127.0.0.1'] });
        serveAsJava(server);
        await server.start();
        await using relay = await Relay.start(server.address, { prefix: header });
        using client = await java().client();
        expect(await client.invokeSync(relay.address, { code: Code.WHO })).to.include({ code: 0, remark: SOURCE });
        const direct = await client.invokeSync(server.address, { code: Code.WHO });
        expect(direct.remark).to.match(/^127\.0\.0\.1:\d+$/);
      });

      it(`calls Java's server, which ${version === '5.3.3' ? 'takes' : 'does not know'} the same ${name} header`, async () => {
        using server = await java().server();
        await using relay = await Relay.start(server.address, { prefix: header });
        await using client = new RemotingClient();
        const call = client.invokeSync(relay.address, RemotingCommand.request(Code.WHO));
        const outcome = await call.then(
          ({ remark }) => remark,
          (error: { code: string }) => error.code,
        );
        expect(outcome).to.equal(version === '5.3.3' ? SOURCE : 'CONNECTION_CLOSED');
      });
    }
  });
}
