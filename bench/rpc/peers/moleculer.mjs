import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { ServiceBroker } = require('moleculer');

/**
 * Moleculer's TCP transporter. A client is a node of its own, which knows the server by its address instead of by broadcast; the node
 * cannot come and go within milliseconds, so it takes no part in what counts connections.
 */
export const traits = {
  packages: ['moleculer'],
  carries: 'text',
  oneway: true,
  churn: false,
  idle: false,
  dialsBack: true,
};

let nodes = 0;

function broker(nodeID, options, maxPacketSize, requestTimeout = 0) {
  return new ServiceBroker({
    nodeID,
    logger: false,
    requestTimeout,
    transporter: { type: 'TCP', options: { udpDiscovery: false, useHostname: false, ...maxPacketSize, ...options } },
  });
}

const limitFor = (large) => (large ? { maxPacketSize: 64 * 1024 * 1024 } : {});

export async function listen({ methods, large }) {
  const server = broker('server', {}, limitFor(large));
  const actions = Object.fromEntries(
    Object.keys(methods).map((name) => [name, ({ params }) => methods[name](params.data)]),
  );
  server.createService({
    name: 'bench',
    actions,
    events: { 'bench.count': { context: true, handler: ({ params }) => methods.count(params.data) } },
  });
  await server.start();
  return { port: server.transit.tx.opts.port };
}

export async function connect({ port, large, brisk, timeoutMillis = 5_000 }) {
  const client = broker(
    `client-${process.pid}-${nodes++}`,
    { urls: [`127.0.0.1:${port}/server`] },
    limitFor(large),
    brisk ? timeoutMillis : 0,
  );
  await client.start();
  await client.waitForServices('bench', brisk ? 5_000 : 10_000);
  return {
    call(method, data, done) {
      client.call(`bench.${method}`, { data }).then((answer) => done(undefined, answer), done);
    },
    oneway(_method, data) {
      client.emit('bench.count', { data });
    },
    close: () => client.stop(),
  };
}
