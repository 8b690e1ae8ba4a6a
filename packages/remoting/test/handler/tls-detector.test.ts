import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import type { RemotingError } from '../../src/errors.js';
import { TlsDetector } from '../../src/handler/tls-detector.js';
import { TlsHandler } from '../../src/handler/tls-handler.js';
import { ManualClock } from '../../src/manual-clock.js';
import type { TlsContext } from '../../src/tls/tls-context.js';
import { TlsError } from '../../src/tls/tls-error.js';
import type { TlsMode } from '../../src/tls/tls-options.js';
import { carry, clientContext, serverContext } from '../tls/tls-fixture.js';

const serverTls = serverContext();

interface Detected {
  readonly channel: EmbeddedChannel;
  readonly clock: ManualClock;
  readonly errors: RemotingError[];
}

function detected(mode: TlsMode, context: TlsContext | undefined = serverTls): Detected {
  const clock = new ManualClock();
  const errors: RemotingError[] = [];
  const channel = new EmbeddedChannel({
    tlsDetector: new TlsDetector({ mode, context: () => context, clock }),
    probe: { exceptionCaught: (_ctx, error) => errors.push(error) },
  });
  return { channel, clock, errors };
}

const plain = Buffer.from('0000000a', 'hex');
const hello = Buffer.from('160301', 'hex');

describe('TlsDetector', () => {
  const table: [mode: TlsMode, context: TlsContext | undefined, first: Buffer, outcome: string][] = [
    ['disabled', serverTls, hello, 'refused: it began TLS, and this server takes none (tls.server.mode=disabled)'],
    ['disabled', serverTls, plain, 'plain'],
    ['permissive', serverTls, hello, 'tls'],
    [
      'permissive',
      undefined,
      hello,
      'refused: it began TLS, and this server has no certificate and key that it could use',
    ],
    ['permissive', undefined, plain, 'plain'],
    ['enforcing', serverTls, hello, 'tls'],
    [
      'enforcing',
      undefined,
      hello,
      'refused: it began TLS, and this server has no certificate and key that it could use',
    ],
    [
      'enforcing',
      serverTls,
      plain,
      'refused: it sent plain bytes, and this server takes TLS only (tls.server.mode=enforcing)',
    ],
  ];
  for (const [mode, context, first, outcome] of table) {
    const what = `${first === hello ? 'TLS' : 'plain bytes'}${context === undefined ? ' without a certificate' : ''}`;
    it(`in mode ${mode} answers ${what} with: ${outcome.split(':')[0]}`, () => {
      const { channel, errors, clock } = detected(mode);
      if (context === undefined)
        channel.pipeline.replace(
          'tlsDetector',
          'tlsDetector',
          new TlsDetector({ mode, context: () => undefined, clock }),
        );
      channel.writeInbound(first);
      const [error] = errors;
      if (outcome === 'plain') {
        expect([channel.pipeline.names(), channel.readInbound()]).to.deep.equal([['probe'], plain]);
      } else if (outcome === 'tls') {
        expect(channel.pipeline.names()).to.deep.equal(['tls', 'probe']);
        expect(channel.pipeline.get('tls')).to.be.instanceOf(TlsHandler);
      } else {
        expect(error).to.be.instanceOf(TlsError);
        expect(`refused: ${error?.message.replace('TLS with embedded:1 failed: ', '')}`).to.equal(outcome);
        expect([channel.isActive, channel.readInbound(), clock.pendingTimers]).to.deep.equal([false, undefined, 0]);
      }
      channel.destroy();
      expect(clock.pendingTimers).to.equal(0);
    });
  }

  it('waits for the first byte', () => {
    const { channel } = detected('permissive');
    channel.writeInbound(Buffer.alloc(0));
    expect(channel.pipeline.names()).to.deep.equal(['tlsDetector', 'probe']);
  });

  it('cuts off a peer that does not begin within 10 s where TLS is enforced', () => {
    const { channel, clock, errors } = detected('enforcing');
    clock.advance(9_999);
    expect(channel.isActive).to.equal(true);
    clock.advance(1);
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'TLS with embedded:1 failed: it did not begin a handshake within 10000 ms',
    ]);
    expect([channel.isActive, clock.pendingTimers]).to.deep.equal([false, 0]);
  });

  it('gives TLS the bytes that it looked at', async () => {
    const { channel, clock } = detected('enforcing');
    const client = new EmbeddedChannel({ tls: new TlsHandler(clientContext(), { clock }) });
    client.writeAndFlush(Buffer.from('hello'));
    await carry(client, channel);
    expect(String(channel.readInbound())).to.equal('hello');
    expect(clock.pendingTimers).to.equal(0);
  });
});
