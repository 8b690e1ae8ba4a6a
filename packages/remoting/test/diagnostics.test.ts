import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { RemotingClient } from '../src/client/remoting-client.js';
import { encodeFrame } from '../src/codec/frame-codec.js';
import { defineCommand } from '../src/command/define-command.js';
import { t } from '../src/command/header-field.js';
import { RemotingCommand } from '../src/command/remoting-command.js';
import {
  type ConnectTrace,
  connectTracing,
  type HandleTrace,
  handleTracing,
  type RequestTrace,
  requestTracing,
  TracingChannelName,
} from '../src/diagnostics.js';
import { CommandError, RemotingError } from '../src/errors.js';
import { RemotingServer } from '../src/server/remoting-server.js';
import { ManualClock } from '../src/testing.js';

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string() },
  response: { text: t.string() },
});

const SECRET = 'hunter2';
const frameBytes = (command: RemotingCommand): number => Buffer.concat(encodeFrame(command)).length;
const REQUEST_BYTES = frameBytes(RemotingCommand.request(9001, { extFields: { name: SECRET } }));
const RESPONSE_BYTES = frameBytes(RemotingCommand.response(0, undefined, { extFields: { text: SECRET } }));

describe('tracing channels', () => {
  let server: RemotingServer;
  let client: RemotingClient;
  let address: string;
  const cleanUps: (() => unknown)[] = [];

  beforeEach(async () => {
    server = new RemotingServer();
    server.handle(Greet, ({ header }) => ({ header: { text: header.name } }));
    await server.start();
    address = server.address;
    client = new RemotingClient();
    cleanUps.push(
      () => server.destroy(),
      () => client.destroy(),
    );
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** Writes down the events of a channel, and a copy of what came with each; `last` resolves at the next `asyncEnd`. */
  function record<Trace extends object>(channel: TracingChannel<unknown, Trace>) {
    const events: string[] = [];
    const traces: Trace[] = [];
    let ended: () => void = () => {};
    const note = (event: string) => (trace: object) => {
      events.push(event);
      traces.push({ ...trace } as Trace);
      if (event === 'asyncEnd') ended();
    };
    const subscribers = {
      start: note('start'),
      end: note('end'),
      asyncStart: note('asyncStart'),
      asyncEnd: note('asyncEnd'),
      error: note('error'),
    };
    channel.subscribe(subscribers);
    cleanUps.push(() => channel.unsubscribe(subscribers));
    return {
      events,
      traces,
      next: () =>
        new Promise<Trace>((resolve) => {
          ended = () => resolve(traces.at(-1) as Trace);
        }),
    };
  }

  const NO_CONNECTION = '127.0.0.1:1';

  describe('rmqns.remoting:request', () => {
    it('shows a call from its begin to its answer (W81)', async () => {
      const seen = record(requestTracing);
      await client.call(address, Greet, { name: SECRET });
      expect(seen.events).to.deep.equal(['start', 'end', 'asyncStart', 'asyncEnd']);
      expect(seen.traces[0]).to.deep.equal({
        code: 9001,
        name: 'GREET',
        isOneway: false,
        timeoutMillis: 3_000,
        address,
        opaque: undefined,
        requestBytes: undefined,
        responseBytes: undefined,
        responseCode: undefined,
        outcome: undefined,
        error: undefined,
      });
      expect(seen.traces[3]).to.deep.equal({
        code: 9001,
        name: 'GREET',
        isOneway: false,
        timeoutMillis: 3_000,
        address,
        opaque: 0,
        requestBytes: REQUEST_BYTES,
        responseBytes: RESPONSE_BYTES,
        responseCode: 0,
        outcome: 'answered',
        error: undefined,
      });
    });

    it('shows a call that fails, with its error', async () => {
      const seen = record(requestTracing);
      const error = await client.invokeSync(NO_CONNECTION, RemotingCommand.request(5)).catch((thrown) => thrown);
      expect(seen.events).to.deep.equal(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
      expect(seen.traces[4]).to.deep.equal({
        code: 5,
        name: undefined,
        isOneway: false,
        timeoutMillis: 3_000,
        address: NO_CONNECTION,
        opaque: undefined,
        requestBytes: undefined,
        responseBytes: undefined,
        responseCode: undefined,
        outcome: 'CONNECT_FAILED',
        error,
      });
    });

    it('shows the server, code, name, bytes and outcome of a call, however it ends and whoever chose the server (W81)', async () => {
      const clock = new ManualClock();
      const traced = new RemotingClient({ clock });
      cleanUps.push(() => traced.destroy());
      traced.updateNameServerAddressList([address]);
      const controller = new AbortController();
      let ask = (): void => {};
      server.handle(Greet, ({ header }) => {
        if (header.name !== SECRET) throw new CommandError(17, 'no');
        setImmediate(ask);
        return new Promise<never>(() => {});
      });
      const refusal = frameBytes(RemotingCommand.response(17, 'no'));
      const named = { code: 9001, name: 'GREET', isOneway: false, address };
      const unanswered = { requestBytes: REQUEST_BYTES, responseBytes: undefined, responseCode: undefined };
      const seen = record(requestTracing);
      const ended = async (to: string | undefined, name: string, then = (): void => {}): Promise<RequestTrace> => {
        ask = then;
        await traced.call(to, Greet, { name }, { timeoutMillis: 500, signal: controller.signal }).catch(() => {});
        return seen.traces.at(-1) as RequestTrace;
      };
      expect(await ended(undefined, 'x'.repeat(SECRET.length))).to.include({
        ...named,
        requestBytes: REQUEST_BYTES,
        responseBytes: refusal,
        responseCode: 17,
        outcome: 'answered',
      });
      expect(await ended(undefined, SECRET, () => clock.advance(500))) //
        .to.include({ ...named, ...unanswered, outcome: 'TIMEOUT' });
      expect(await ended(address, SECRET, () => [...server.channels].at(-1)?.destroy())) //
        .to.include({ ...named, ...unanswered, outcome: 'CONNECTION_CLOSED' });
      expect(await ended(address, SECRET, () => controller.abort())) //
        .to.include({ ...named, ...unanswered, outcome: 'ABORTED' });
      expect(await ended(NO_CONNECTION, SECRET)) //
        .to.include({ ...named, ...unanswered, address: NO_CONNECTION, requestBytes: undefined, outcome: 'ABORTED' });
    });

    it('shows an answer that says no as an answer', async () => {
      const seen = record(requestTracing);
      await client.invokeSync(address, RemotingCommand.request(5));
      expect(seen.traces[3]).to.include({ outcome: 'answered', responseCode: 3, error: undefined });
    });

    it('shows oneway requests, and calls with a callback', async () => {
      const seen = record(requestTracing);
      await client.oneway(address, Greet, { name: SECRET });
      expect(seen.traces.at(-1)).to.include({
        name: 'GREET',
        isOneway: true,
        outcome: 'sent',
        requestBytes: REQUEST_BYTES,
      });
      const next = seen.next();
      client.invokeAsync(address, RemotingCommand.request(5), 1_000, () => {});
      expect(await next).to.include({ isOneway: false, outcome: 'answered', timeoutMillis: 1_000 });
    });

    it('shows calls of a server', async () => {
      await client.call(address, Greet, { name: 'Ada' });
      const [channel] = server.channels;
      if (channel === undefined) throw new Error('no connection');
      const seen = record(requestTracing);
      await server.invokeSync(channel, RemotingCommand.request(5));
      expect(seen.traces.at(-1)).to.include({ address: channel.remoteAddress, outcome: 'answered', responseCode: 3 });
    });

    it('shows a call to a closed client', async () => {
      await client.close();
      const seen = record(requestTracing);
      await client.invokeSync(address, RemotingCommand.request(5)).catch(() => {});
      expect(seen.events).to.deep.equal(['start', 'error', 'asyncStart', 'asyncEnd', 'end']);
      expect(seen.traces.at(-1)).to.include({ outcome: 'CLOSED' });
    });

    it('lets a subscriber add ext fields to what is sent, and leaves the request alone', async () => {
      const received: unknown[] = [];
      server.registerProcessor(1, {
        processRequest: (_ctx, asked) => {
          received.push({ ...asked.extFields });
          return RemotingCommand.response(0);
        },
      });
      const start = (trace: unknown): void => {
        (trace as RequestTrace).setExtField('traceparent', '00-1-2-01');
        (trace as RequestTrace).setExtField('tracestate', 'a=b');
      };
      requestTracing.start.subscribe(start);
      cleanUps.push(() => requestTracing.start.unsubscribe(start));
      const mine = RemotingCommand.request(1, { extFields: { mine: '1' } });
      await client.invokeSync(address, mine);
      await client.invokeSync(address, RemotingCommand.request(1));
      const added = { traceparent: '00-1-2-01', tracestate: 'a=b' };
      expect(received).to.deep.equal([{ mine: '1', ...added }, added]);
      expect(mine.extFields).to.deep.equal({ mine: '1' });
    });

    it('runs a call in the context that a subscriber bound to it, and its caller in the own one', async () => {
      const span = new AsyncLocalStorage<string>();
      const hooked: unknown[] = [];
      requestTracing.start.bindStore(span as AsyncLocalStorage<unknown>, (trace) => `span of ${trace.code}`);
      cleanUps.push(() => requestTracing.start.unbindStore(span as AsyncLocalStorage<unknown>));
      client.registerRpcHook({ doBeforeRequest: () => void hooked.push(span.getStore()) });
      await span.run('caller', async () => {
        await client.invokeSync(address, RemotingCommand.request(1));
        hooked.push(span.getStore());
      });
      expect(hooked).to.deep.equal(['span of 1', 'caller']);
    });
  });

  describe('rmqns.remoting:handle', () => {
    it('shows a request until its answer is written', async () => {
      const seen = record(handleTracing);
      const written = seen.next();
      await client.call(address, Greet, { name: SECRET });
      const trace = await written;
      const [channel] = server.channels;
      expect(seen.events).to.deep.equal(['start', 'end', 'asyncStart', 'asyncEnd']);
      const begun = {
        code: 9001,
        opaque: 0,
        isOneway: false,
        name: 'GREET',
        address: channel?.remoteAddress,
        localAddress: address,
        requestBytes: REQUEST_BYTES,
      };
      const open = { responseBytes: undefined, responseCode: undefined, outcome: undefined, error: undefined };
      expect(seen.traces[0]).to.deep.equal({ ...begun, ...open });
      expect(trace).to.deep.equal({
        ...begun,
        responseBytes: RESPONSE_BYTES,
        responseCode: 0,
        outcome: 'answered',
        error: undefined,
      });
    });

    /** The trace of one request, by how its processor ends. */
    function handled(processRequest: () => RemotingCommand | undefined): Promise<HandleTrace> {
      server.registerProcessor(1, { processRequest });
      const ended = record(handleTracing).next();
      client.invokeAsync(address, RemotingCommand.request(1), 1_000, () => {});
      return ended;
    }

    it('shows a processor that fails, and one that says no', async () => {
      const failure = new Error('no');
      const failed = await handled(() => {
        throw failure;
      });
      expect(failed).to.include({ outcome: 'answered', responseCode: 1, error: failure });
      const refused = await handled(() => {
        throw new CommandError(17, 'no route');
      });
      expect(refused).to.include({ outcome: 'answered', responseCode: 17, error: undefined });
    });

    it('shows a processor that gives no answer, and a oneway request', async () => {
      expect(await handled(() => undefined)).to.include({ outcome: 'unanswered', responseCode: undefined });
      server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
      const ended = record(handleTracing).next();
      await client.invokeOneway(address, RemotingCommand.request(1));
      expect(await ended).to.include({ outcome: 'oneway', isOneway: true, responseCode: undefined });
    });

    it('shows a request whose connection ended meanwhile', async () => {
      let finish: (response: RemotingCommand) => void = () => {};
      const asked = new Promise<void>((resolve) => {
        server.registerProcessor(1, {
          processRequest: (ctx) => {
            ctx.channel.destroy();
            resolve();
            return new Promise((answer) => {
              finish = answer;
            });
          },
        });
      });
      const ended = record(handleTracing).next();
      client.invokeSync(address, RemotingCommand.request(1)).catch(() => {});
      await asked;
      finish(RemotingCommand.response(0));
      expect(await ended).to.include({ outcome: 'cancelled', error: undefined });
    });

    it('shows an answer that cannot be encoded', async () => {
      const seen = await handled(() => RemotingCommand.response(0, undefined, { extFields: { a: 1 as never } }));
      expect(seen.outcome).to.equal('writeFailed');
      expect((seen.error as RemotingError).code).to.equal('ENCODE_FAILED');
    });

    it('gives subscribers the ext fields they ask for by name', async () => {
      const found: unknown[] = [];
      const start = (trace: unknown): void => {
        found.push((trace as HandleTrace).extField('name'), (trace as HandleTrace).extField('toString'));
      };
      handleTracing.start.subscribe(start);
      cleanUps.push(() => handleTracing.start.unsubscribe(start));
      await client.call(address, Greet, { name: SECRET });
      expect(found).to.deep.equal([SECRET, undefined]);
    });

    it('runs the processor in the context that a subscriber bound to it', async () => {
      const span = new AsyncLocalStorage<string>();
      handleTracing.start.bindStore(span as AsyncLocalStorage<unknown>, (trace) => `span of ${trace.code}`);
      cleanUps.push(() => handleTracing.start.unbindStore(span as AsyncLocalStorage<unknown>));
      const stores: unknown[] = [];
      server.registerProcessor(1, {
        processRequest: async () => {
          stores.push(span.getStore());
          await Promise.resolve();
          stores.push(span.getStore());
          return RemotingCommand.response(0);
        },
      });
      await client.invokeSync(address, RemotingCommand.request(1));
      expect(stores).to.deep.equal(['span of 1', 'span of 1']);
    });
  });

  describe('rmqns.remoting:connect', () => {
    it('shows a dial: the server, this side and the outcome (W81)', async () => {
      const seen = record(connectTracing);
      await client.invokeSync(address, RemotingCommand.request(5));
      const [channel] = server.channels;
      expect(seen.events).to.deep.equal(['start', 'end', 'asyncStart', 'asyncEnd']);
      const [start, , , end] = seen.traces;
      expect(start).to.deep.equal({ address, localAddress: undefined, outcome: undefined, error: undefined });
      expect(end).to.deep.equal({
        address,
        localAddress: channel?.remoteAddress,
        outcome: 'connected',
        error: undefined,
      });
    });

    it('shows a dial that comes to nothing (W81)', async () => {
      const seen = record(connectTracing);
      await client.invokeSync(NO_CONNECTION, RemotingCommand.request(5)).catch(() => {});
      expect(seen.events).to.deep.equal(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
      const { address, outcome, error } = seen.traces[4] as ConnectTrace;
      expect([address, outcome, RemotingError.is(error)]).to.deep.equal([NO_CONNECTION, 'CONNECT_FAILED', true]);
    });
  });

  it('are found by their names', () => {
    const start = (): void => {};
    for (const name of Object.values(TracingChannelName)) {
      const channel = tracingChannel(name);
      channel.start.subscribe(start);
      cleanUps.push(() => channel.start.unsubscribe(start));
    }
    for (const channel of [requestTracing, handleTracing, connectTracing])
      expect(channel.hasSubscribers).to.equal(true);
  });

  it('show no header value and no body to whoever logs a trace', async () => {
    const [requests, handles]: object[][] = [[], []];
    const [onRequest, onHandle] = [(trace: object) => requests?.push(trace), (trace: object) => handles?.push(trace)];
    requestTracing.start.subscribe(onRequest as never);
    handleTracing.start.subscribe(onHandle as never);
    cleanUps.push(() => requestTracing.start.unsubscribe(onRequest as never));
    cleanUps.push(() => handleTracing.start.unsubscribe(onHandle as never));
    await client.call(address, Greet, { name: SECRET }, { body: Buffer.from(SECRET) });
    for (const trace of [...(requests ?? []), ...(handles ?? [])]) {
      const shown = inspect(trace, { depth: 9, showHidden: true }) + JSON.stringify(trace);
      expect(shown).to.include('9001').and.not.include(SECRET);
    }
    expect([requests?.length, handles?.length]).to.deep.equal([1, 1]);
  });

  it('cost a call without subscribers a few looks at whether there are any, and nothing else (W81)', async () => {
    await client.invokeSync(address, RemotingCommand.request(5));
    let looks = 0;
    const events: string[] = [];
    for (const channel of [requestTracing, handleTracing, connectTracing]) {
      Object.defineProperty(channel, 'hasSubscribers', { configurable: true, get: () => ++looks < 0 });
      cleanUps.push(() => Reflect.deleteProperty(channel, 'hasSubscribers'));
      for (const name of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const) {
        const note = (): void => void events.push(name);
        channel[name].subscribe(note);
        cleanUps.push(() => channel[name].unsubscribe(note));
      }
    }
    await client.invokeSync(address, RemotingCommand.request(5));
    // One at the begin of the call and one at that of the request, two for each of the chunks that the frames came in.
    expect([looks, events]).to.deep.equal([6, []]);
  });
});
