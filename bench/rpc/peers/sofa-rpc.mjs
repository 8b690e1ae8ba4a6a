import { createRequire } from 'node:module';
import { freePort } from '../../harness/free-port.mjs';

const require = createRequire(import.meta.url);
const { RpcClient } = require('sofa-rpc-node').client;
const { RpcServer } = require('sofa-rpc-node').server;

/** SOFARPC for Node: Bolt frames with Hessian 2 bodies, without a registry. */
export const traits = {
  packages: ['sofa-rpc-node', 'sofa-bolt-node'],
  carries: 'bytes',
  object: 'native',
  oneway: false,
};

const silent = { info() {}, debug() {}, warn() {}, error() {}, write() {} };
const INTERFACE = 'com.example.Bench';

export async function listen({ methods }) {
  const port = await freePort();
  const server = new RpcServer({ logger: silent, port, autoServe: false });
  const service = Object.fromEntries(
    Object.keys(methods).map((name) => [name, async (payload) => methods[name](payload)]),
  );
  server.addService({ interfaceName: INTERFACE }, service);
  await server.start();
  return { port };
}

export async function connect({ port, timeoutMillis }) {
  const client = new RpcClient({ logger: silent });
  const consumer = client.createConsumer({ interfaceName: INTERFACE, serverHost: `127.0.0.1:${port}` });
  await consumer.ready();
  const options = timeoutMillis === undefined ? {} : { responseTimeout: timeoutMillis };
  return {
    call(method, payload, done) {
      consumer.invoke(method, [payload], options).then((answer) => done(undefined, answer), done);
    },
    close: () => client.close(),
  };
}
