import { defineCommand, RemotingClient, RemotingServer, t } from '@rmqns/remoting';
import { counterMetrics } from './counter-metrics.js';
import { LatencyHistogram } from './latency-histogram.js';
import { childOf } from './trace-context.js';
import { traceSpans } from './trace-spans.js';

// A tracer that prints; OpenTelemetry's takes its place with a few lines, see docs/observability.md.
traceSpans({
  startSpan(name, { kind }, parent) {
    const context = childOf(parent);
    return {
      spanContext: () => context,
      setAttribute() {},
      recordException() {},
      end: () => void process.stdout.write(`${kind} ${name} in trace ${context.traceId}\n`),
    };
  },
});
const latency = new LatencyHistogram();

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string() },
  response: { text: t.string() },
});
const server = new RemotingServer();
server.handle(Greet, ({ header }) => ({ header: { text: `hello ${header.name}` } }));
await server.start();
const client = new RemotingClient();
await client.call(server.address, Greet, { name: 'Ada' });
await client.close();
await server.close();

process.stdout.write(counterMetrics(server.counters, 'server'));
process.stdout.write(latency.toString());
