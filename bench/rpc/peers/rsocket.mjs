import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const require = createRequire(import.meta.url);
const { BufferEncoders, RSocketClient, RSocketServer } = require('rsocket-core');
const { Single } = require('rsocket-flowable');
const { default: RSocketTcpClient, RSocketTlsClient } = require('rsocket-tcp-client');
const { default: RSocketTcpServer } = require('rsocket-tcp-server');

/** The method is the metadata, as rsocket's routing has it in a longer form. */
export const traits = {
  packages: ['rsocket-core', 'rsocket-tcp-server', 'rsocket-tcp-client'],
  carries: 'bytes',
  oneway: true,
  tls: true,
};

const EMPTY = Buffer.alloc(0);

export async function listen({ methods, tls }) {
  let server;
  const listening = new Promise((resolve) => {
    const transport = new RSocketTcpServer(
      {
        host: '127.0.0.1',
        port: 0,
        serverFactory: (onConnection) => {
          server =
            tls === undefined
              ? createServer({ noDelay: true }, onConnection)
              : createTlsServer({ ...tls, noDelay: true }, onConnection);
          server.once('listening', resolve);
          return server;
        },
      },
      BufferEncoders,
    );
    new RSocketServer({
      getRequestHandler: () => ({
        requestResponse: ({ data, metadata }) => {
          const result = methods[metadata.toString('latin1')](data ?? EMPTY);
          if (typeof result.then !== 'function') return Single.of({ data: result });
          return new Single((subscriber) => {
            subscriber.onSubscribe();
            result.then((answer) => subscriber.onComplete({ data: answer }), subscriber.onError);
          });
        },
        fireAndForget: ({ data, metadata }) => {
          methods[metadata.toString('latin1')](data);
        },
      }),
      transport,
    }).start();
  });
  await listening;
  return { port: server.address().port };
}

const names = new Map();
function metadataOf(method) {
  let metadata = names.get(method);
  if (metadata === undefined) {
    metadata = Buffer.from(method);
    names.set(method, metadata);
  }
  return metadata;
}

export async function connect({ port, tls, brisk }) {
  const client = new RSocketClient({
    setup: {
      dataMimeType: 'application/octet-stream',
      metadataMimeType: 'application/octet-stream',
      keepAlive: brisk ? 2_000 : 60_000,
      lifetime: brisk ? 5_000 : 180_000,
    },
    transport:
      tls === undefined
        ? new RSocketTcpClient({ host: '127.0.0.1', port, noDelay: true }, BufferEncoders)
        : new RSocketTlsClient(
            { host: '127.0.0.1', port, noDelay: true, ca: tls.cert, servername: 'localhost' },
            BufferEncoders,
          ),
  });
  const socket = await new Promise((resolve, reject) => {
    client.connect().subscribe({ onComplete: resolve, onError: reject });
  });
  return {
    call(method, data, done) {
      socket.requestResponse({ data, metadata: metadataOf(method) }).subscribe({
        onComplete: (payload) => done(undefined, payload.data ?? EMPTY),
        onError: (error) => done(error),
      });
    },
    oneway(method, data) {
      socket.fireAndForget({ data, metadata: metadataOf(method) });
    },
    close: () => client.close(),
  };
}
