import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { itBehavesAsATransport } from './conformance.js';
import { listeningPair } from './listening-pair.js';

/** A key that both know is all that a test of transport needs. */
const key = Buffer.alloc(16, 7);
const secure = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;

describe('a connection over TLS (W91)', () => {
  itBehavesAsATransport((options) =>
    listeningPair(options, async (accept) => {
      const listener = createServer({ ...secure, pskCallback: () => key, pskIdentityHint: 'test' }, accept);
      listener.listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      return {
        listener,
        connect: () =>
          connect({
            ...secure,
            host: '127.0.0.1',
            port,
            pskCallback: () => ({ psk: key, identity: 'test' }),
            checkServerIdentity: () => undefined,
          }),
      };
    }),
  );
});
