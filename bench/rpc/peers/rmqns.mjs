import { tracingChannel } from 'node:diagnostics_channel';
import {
  defineCommand,
  RemotingClient,
  RemotingCommand,
  RemotingServer,
  SerializeType,
  TracingChannelName,
  t,
  WorkQueue,
} from '@rmqns/remoting';
import { LIMITED_AT_ONCE, LIMITED_QUEUE_MILLIS } from '../methods.mjs';

/**
 * Ours in its forms: raw processors with the two header formats, typed calls, and typed calls that hooks and tracing watch.
 *
 * @typedef {{ typed?: boolean, serializeType?: SerializeType, watched?: boolean }} Form
 */

const CODES = { echo: 9001, slow: 9002, never: 9003, limited: 9004, object: 9005, count: 9006 };
const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const EMPTY = Buffer.alloc(0);
/** Where a load is larger than what frames may be by default; the other packages' limits are raised too. */
const limitFor = (large) => (large ? { maxFrameBytes: 64 * 1024 * 1024 } : {});
/** Calls have a timeout of 3 s by default. */
const BRISK = { frameTimeoutMillis: 5_000, stalledWriteMillis: 5_000 };

/** A header that is checked, as real commands have one, beside the body. */
const commands = Object.fromEntries(
  Object.entries(CODES).map(([name, code]) => [
    name,
    defineCommand({
      code,
      name: name.toUpperCase(),
      request: { key: t.string(), attempt: t.int() },
      response: { attempt: t.int() },
    }),
  ]),
);

const objectFields = Object.fromEntries([
  ...Array.from({ length: 10 }, (_, i) => [`text${i}`, t.string()]),
  ...Array.from({ length: 10 }, (_, i) => [`number${i}`, t.int()]),
]);
const ObjectCommand = defineCommand({
  code: CODES.object,
  name: 'OBJECT',
  request: objectFields,
  response: objectFields,
});

/** What an application has before work that so many can do at once, and a look at how long requests wait there. */
class LimitedQueue {
  queue = new WorkQueue({ concurrency: LIMITED_AT_ONCE, queueCapacity: 64, maxQueueMillis: LIMITED_QUEUE_MILLIS });
  #most = 0;

  constructor() {
    setInterval(() => {
      this.#most = Math.max(this.#most, this.queue.oldestMillis);
    }, 1).unref();
  }

  mostWaitedMillis = () => this.#most;
}

/** @param {Form} form */
export function rmqns({ typed = false, serializeType = SerializeType.JSON, watched = false }) {
  return {
    traits: {
      packages: [],
      carries: 'bytes',
      object: typed ? 'native' : 'json',
      oneway: true,
      tls: true,
    },
    async listen({ methods, large, brisk, tls }) {
      const server = new RemotingServer({
        port: 0,
        ...limitFor(large),
        ...(brisk ? BRISK : {}),
        tls: tls && { mode: 'enforcing', keyPath: tls.keyPath, certPath: tls.certPath },
      });
      const queue = new LimitedQueue();
      if (watched) watch(server);
      if (typed) handleTyped(server, methods);
      else processRaw(server, methods, queue);
      await server.start();
      return { port: Number(server.address.split(':').at(-1)), mostWaitedMillis: queue.mostWaitedMillis };
    },
    async connect({ port, timeoutMillis, large, tls }) {
      const address = `127.0.0.1:${port}`;
      const client = new RemotingClient({
        timeoutMillis,
        connectTimeoutMillis: timeoutMillis,
        ...limitFor(large),
        tls: tls && { trustCertPath: tls.certPath },
      });
      if (watched) watch(client);
      const calls = typed ? typedCalls(client, address) : rawCalls(client, address, serializeType);
      return { ...calls, close: () => client.destroy(), closeGently: () => client.close() };
    },
  };
}

function processRaw(server, methods, limited) {
  for (const [name, code] of Object.entries(CODES)) {
    const method = methods[name];
    const respond = (body) => RemotingCommand.response(0, undefined, { body });
    const processor = {
      processRequest(_ctx, request) {
        const result = method(request.body ?? EMPTY);
        if (result === undefined) return undefined;
        return typeof result.then === 'function' ? result.then(respond) : respond(result);
      },
    };
    server.registerProcessor(code, processor, name === 'limited' ? limited.queue : undefined);
  }
}

function handleTyped(server, methods) {
  for (const name of Object.keys(CODES)) {
    if (name === 'object') continue;
    const method = methods[name];
    server.handle(commands[name], ({ header, body }) => {
      const result = method(body ?? EMPTY);
      const respond = (answer) => ({ header: { attempt: header.attempt }, body: answer });
      return typeof result?.then === 'function' ? result.then(respond) : respond(result);
    });
  }
  server.handle(ObjectCommand, ({ header }) => ({ header }));
}

function rawCalls(client, address, serializeType) {
  return {
    call(method, body, done) {
      client.invokeSync(address, RemotingCommand.request(CODES[method], { body, serializeType })).then((response) => {
        if (response.code === 0) done(undefined, response.body ?? EMPTY);
        else done(new Error(`${response.code} ${response.remark}`));
      }, done);
    },
    oneway(method, body) {
      void client.invokeOneway(address, RemotingCommand.request(CODES[method], { body, serializeType }));
    },
  };
}

function typedCalls(client, address) {
  let attempt = 0;
  return {
    call(method, body, done) {
      if (method === 'object') {
        client.call(address, ObjectCommand, body).then(({ header }) => done(undefined, header), done);
        return;
      }
      const sent = attempt++ & 0xffff;
      client
        .call(address, commands[method], { key: 'bench-key', attempt: sent }, { body })
        .then(({ header, body: answer }) => {
          if (header.attempt === sent) done(undefined, answer ?? EMPTY);
          else done(new Error('the answer of another call'));
        }, done);
    },
    oneway(method, body) {
      void client.oneway(address, commands[method], { key: 'bench-key', attempt: 0 }, { body });
    },
  };
}

/** A hook at both ends that looks at everything, and a subscriber of the tracing channels that passes a trace on, as an exporter does. */
function watch(remoting) {
  const seen = { calls: 0, answers: 0, bytes: 0, spans: 0 };
  remoting.registerRpcHook({
    doBeforeRequest(_address, request) {
      seen.calls++;
      seen.bytes += request.body?.length ?? 0;
    },
    doAfterResponse(_address, _request, response) {
      seen.answers++;
      seen.bytes += response?.body?.length ?? 0;
    },
  });
  const ignored = () => {};
  const spans = { end: ignored, asyncStart: ignored, error: ignored };
  const ended = (trace) => {
    if (trace.outcome !== undefined) seen.spans++;
  };
  tracingChannel(TracingChannelName.REQUEST).subscribe({
    ...spans,
    start: (trace) => trace.setExtField('traceparent', TRACE_PARENT),
    asyncEnd: ended,
  });
  tracingChannel(TracingChannelName.HANDLE).subscribe({
    ...spans,
    start: (trace) => trace.extField('traceparent'),
    asyncEnd: ended,
  });
  return seen;
}
