import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';

/** Bytes as they are, without protobuf: what is measured is the transport. */
export const traits = { packages: ['@grpc/grpc-js'], carries: 'bytes', oneway: false, tls: true };

const same = (bytes) => bytes;
const pathOf = (method) => `/bench.Bench/${method}`;
const limitFor = (large) =>
  large ? { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 } : {};

const BRISK = { 'grpc.keepalive_time_ms': 2_000, 'grpc.keepalive_timeout_ms': 2_000 };

export async function listen({ methods, tls, large, brisk }) {
  const server = new Server({ ...limitFor(large), ...(brisk ? BRISK : {}) });
  const definition = {};
  const implementation = {};
  for (const name of Object.keys(methods)) {
    definition[name] = {
      path: pathOf(name),
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    implementation[name] = ({ request }, callback) => {
      const result = methods[name](request);
      if (typeof result?.then === 'function') result.then((answer) => callback(null, answer), callback);
      else callback(null, result);
    };
  }
  server.addService(definition, implementation);
  const security =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }]);
  const port = await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', security, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return { port };
}

export async function connect({ port, tls, large, brisk, timeoutMillis = 5_000 }) {
  const client = new Client(
    `127.0.0.1:${port}`,
    tls === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(tls.cert)),
    {
      // Else all clients of a process share one connection.
      'grpc.use_local_subchannel_pool': 1,
      ...(tls === undefined
        ? {}
        : { 'grpc.ssl_target_name_override': 'localhost', 'grpc.default_authority': 'localhost' }),
      ...limitFor(large),
      ...(brisk ? BRISK : {}),
    },
  );
  await new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + (brisk ? 5_000 : 10_000), (error) =>
      error === undefined ? resolve() : reject(error),
    );
  });
  return {
    call(method, body, done) {
      const options = brisk ? { deadline: Date.now() + timeoutMillis } : {};
      client.makeUnaryRequest(pathOf(method), same, same, body, options, (error, answer) =>
        done(error ?? undefined, answer),
      );
    },
    close: () => client.close(),
  };
}
