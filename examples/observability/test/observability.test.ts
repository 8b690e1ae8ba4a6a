import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defineCommand, RemotingClient, RemotingCommand, RemotingServer, t } from '@rmqns/remoting';
import { expect } from 'chai';
import { counterMetrics } from '../src/counter-metrics.js';
import { LatencyHistogram } from '../src/latency-histogram.js';
import { childOf, formatTraceparent, parseTraceparent, type SpanContext } from '../src/trace-context.js';
import { activeSpan, type Tracer, traceSpans } from '../src/trace-spans.js';

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
const Hop = defineCommand({ code: 1, name: 'HOP', response: { path: t.string() } });

interface RecordedSpan {
  readonly name: string;
  readonly kind: string;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly attributes: Record<string, string | number>;
  readonly errors: Error[];
  ended: boolean;
}

class FakeTracer implements Tracer {
  readonly spans: RecordedSpan[] = [];

  startSpan(...[name, { kind, attributes }, parent]: Parameters<Tracer['startSpan']>) {
    const context = childOf(parent);
    const span: RecordedSpan = { name, kind, context, parent, attributes: { ...attributes }, errors: [], ended: false };
    this.spans.push(span);
    return {
      spanContext: () => context,
      setAttribute: (key: string, value: string | number) => {
        span.attributes[key] = value;
      },
      recordException: (error: Error) => span.errors.push(error),
      end: () => {
        span.ended = true;
      },
    };
  }
}

describe('the observability example', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A server that asks the next one, if there is any, with a client of its own. */
  async function hop(name: string, next?: string): Promise<RemotingServer> {
    const server = new RemotingServer();
    const client = new RemotingClient();
    server.handle(Hop, async () => {
      const rest = next === undefined ? '' : `-${(await client.call(next, Hop, {})).header.path}`;
      return { header: { path: `${name}${rest}` } };
    });
    await server.start();
    cleanUps.push(
      () => server.destroy(),
      () => client.destroy(),
    );
    return server;
  }

  it('shows one trace over three hops, whose spans hang on each other', async () => {
    const tracer = new FakeTracer();
    cleanUps.push(traceSpans(tracer));
    const c = await hop('c');
    const b = await hop('b', c.address);
    const a = await hop('a', b.address);
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());

    const root = childOf(undefined);
    const [reply] = await activeSpan.run(root, () =>
      Promise.all([client.call(a.address, Hop, {}), client.call(c.address, Hop, {})]),
    );
    expect(reply.header.path).to.equal('a-b-c');

    const { spans } = tracer;
    expect(new Set(spans.map(({ context }) => context.traceId))).to.deep.equal(new Set([root.traceId]));
    const byId = new Map(spans.map((span) => [span.context.spanId, span]));
    const lineage = (span: RecordedSpan | undefined): string =>
      span === undefined ? 'root' : `${lineage(byId.get(span.parent?.spanId ?? ''))} > ${span.kind}`;
    const deepest = spans.map(lineage).sort((x, y) => y.length - x.length)[0];
    expect(deepest).to.equal('root > client > server > client > server > client > server');
    expect(spans.filter(({ parent }) => parent?.spanId === root.spanId)).to.have.length(2);
    expect(spans).to.have.length(8);
    expect(spans.every(({ name, kind }) => kind === 'server' || name === 'HOP')).to.equal(true);
  });

  it('ends each span, with the outcome', async () => {
    const tracer = new FakeTracer();
    const server = await hop('a');
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    server.registerProcessor(2, {
      processRequest: () => {
        throw new Error('no');
      },
    });
    await client.call(server.address, Hop, {});
    cleanUps.push(traceSpans(tracer));
    await client.invokeSync(server.address, RemotingCommand.request(2));
    await client.invokeSync('127.0.0.1:1', RemotingCommand.request(3)).catch(() => {});
    // Ends when the answer is written, which may be after it was read.
    await server.close();
    const seen = tracer.spans.map(({ kind, attributes, errors, ended }) => ({
      kind,
      ended,
      code: attributes['rmqns.response_code'],
      outcome: attributes['rmqns.outcome'],
      errors: errors.length,
    }));
    expect(seen).to.deep.equal([
      { kind: 'client', ended: true, code: 1, outcome: 'answered', errors: 0 },
      { kind: 'server', ended: true, code: 1, outcome: 'answered', errors: 1 },
      { kind: 'client', ended: true, code: undefined, outcome: 'CONNECT_FAILED', errors: 1 },
    ]);
  });

  it('reads and writes traceparent as W3C has it', () => {
    const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const context = parseTraceparent(text);
    expect(context).to.deep.equal({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
    });
    expect(context && formatTraceparent(context)).to.equal(text);
    const zeros = `00-${'0'.repeat(32)}-b7ad6b7169203331-01`;
    for (const bad of [undefined, '', 'x', text.slice(1), `${text}0`, zeros])
      expect(parseTraceparent(bad)).to.equal(undefined);
  });

  it('gives latencies and counts as Prometheus reads them', async () => {
    const latency = new LatencyHistogram();
    cleanUps.push(() => latency.close());
    const server = await hop('a');
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    await client.call(server.address, Hop, {});
    await client.invokeSync(server.address, RemotingCommand.request(77));
    await client.close();
    await server.close();
    const text = counterMetrics(server.counters, 'server') + latency.toString();
    expect(text).to.include('rmqns_remoting_requests_in_total{role="server"} 2\n');
    expect(text).to.include('rmqns_remoting_request_codes_total{role="server",code="77"} 1\n');
    expect(text).to.include('rmqns_remoting_decode_errors_total{role="server",kind="bad_header"} 0\n');
    expect(text).to.match(
      /rocketmq_rpc_latency_count\{protocol_type="remoting",request_code="(hop|1)",response_code="0",result="success"\} 1\n/,
    );
    for (const line of text.trimEnd().split('\n'))
      expect(line).to.match(/^(# TYPE \w+ (counter|histogram)|\w+\{(\w+="[^"\\]*",?)+\} [\d.]+)$/);
  });

  it('runs, and ends by itself', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { timeout: 8_000 });
    expect(stdout)
      .to.match(/^(client|server) .* in trace [0-9a-f]{32}\n/)
      .and.to.include('rocketmq_rpc_latency_sum');
    expect(stderr).to.equal('');
  });
});
