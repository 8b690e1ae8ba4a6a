import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChannelListener, tracingChannel } from 'node:diagnostics_channel';
import { type HandleTrace, type RequestTrace, TracingChannelName } from '@rmqns/remoting';
import { formatTraceparent, parseTraceparent, type SpanContext } from './trace-context.js';

/** What is used of a tracer: the part of OpenTelemetry's that counts. */
interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: string | number): unknown;
  recordException(error: Error): unknown;
  end(): void;
}

export interface Tracer {
  startSpan(
    name: string,
    options: { kind: 'client' | 'server'; attributes: Readonly<Record<string, string | number>> },
    parent: SpanContext | undefined,
  ): Span;
}

/** The span that runs here. Apps put their own around what they do: `activeSpan.run(span, work)`. */
export const activeSpan = new AsyncLocalStorage<SpanContext>();

/**
 * Makes a span of each call, and one of each request that is answered, in this whole process. A call's span is below the one that runs
 * where it is made, a request's below the call's, which it knows by the ext field `traceparent`; so a trace goes through any number of
 * processes. Processors need not know of it.
 *
 * @returns takes the subscriptions back
 */
export function traceSpans(tracer: Tracer): () => void {
  const stops = [
    subscribe(TracingChannelName.REQUEST, (trace: RequestTrace) => {
      const span = tracer.startSpan(
        nameOf(trace),
        { kind: 'client', attributes: attributesOf(trace) },
        activeSpan.getStore(),
      );
      trace.setExtField('traceparent', formatTraceparent(span.spanContext()));
      return span;
    }),
    subscribe(TracingChannelName.HANDLE, (trace: HandleTrace) => {
      const caller = parseTraceparent(trace.extField('traceparent'));
      return tracer.startSpan(nameOf(trace), { kind: 'server', attributes: attributesOf(trace) }, caller);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Begins a span at `start`, which is the active one for what runs within, and ends it at the outcome. */
function subscribe<Trace extends RequestTrace | HandleTrace>(name: string, begin: (trace: Trace) => Span): () => void {
  const spans = new WeakMap<object, Span>();
  const channel = tracingChannel<SpanContext | undefined, Trace>(name);
  const end: ChannelListener = (message) => {
    const trace = message as Trace;
    const span = spans.get(trace);
    if (span === undefined) return;
    if (trace.outcome !== undefined) span.setAttribute('rmqns.outcome', trace.outcome);
    if (trace.responseCode !== undefined) span.setAttribute('rmqns.response_code', trace.responseCode);
    if (trace.error instanceof Error) span.recordException(trace.error);
    span.end();
  };
  channel.start.bindStore(activeSpan, (trace) => {
    const span = begin(trace);
    spans.set(trace, span);
    return span.spanContext();
  });
  channel.asyncStart.subscribe(end);
  return () => {
    channel.start.unbindStore(activeSpan);
    channel.asyncStart.unsubscribe(end);
  };
}

function nameOf({ name, code }: RequestTrace | HandleTrace): string {
  return name ?? `request ${code}`;
}

function attributesOf({ address, code }: RequestTrace | HandleTrace): Record<string, string | number> {
  return { 'rpc.system': 'rmqns', 'network.peer.address': address ?? '', 'rmqns.request_code': code };
}
