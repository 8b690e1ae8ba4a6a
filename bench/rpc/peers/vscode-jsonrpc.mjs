import { connect as connectSocket, createServer } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';

export const traits = { packages: ['vscode-jsonrpc'], carries: 'text', oneway: true, tls: true };

function connectionOver(socket) {
  socket.on('error', () => {});
  const connection = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  connection.onError(() => {});
  return connection;
}

export async function listen({ methods, tls }) {
  const accept = (socket) => {
    socket.setNoDelay(true);
    const connection = connectionOver(socket);
    for (const name of Object.keys(methods)) {
      if (name === 'count') connection.onNotification(name, methods[name]);
      else connection.onRequest(name, (payload) => methods[name](payload));
    }
    connection.listen();
  };
  const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port };
}

export async function connect({ port, tls }) {
  const options = { port, host: '127.0.0.1' };
  const socket =
    tls === undefined ? connectSocket(options) : connectTls({ ...options, ca: tls.cert, servername: 'localhost' });
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => {
    socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve);
    socket.once('error', reject);
  });
  const connection = connectionOver(socket);
  connection.listen();
  return {
    call(method, payload, done) {
      connection.sendRequest(method, payload).then((answer) => done(undefined, answer), done);
    },
    oneway(method, payload) {
      connection.sendNotification(method, payload).catch(() => {});
    },
    close() {
      connection.dispose();
      socket.destroy();
    },
  };
}
