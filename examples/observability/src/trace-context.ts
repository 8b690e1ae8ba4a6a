import { randomBytes } from 'node:crypto';

/** Where a span is in its trace, as OpenTelemetry and W3C Trace Context have it. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: the trace is recorded. */
  readonly traceFlags: number;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The value of a `traceparent` field. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The span that a `traceparent` field names; `undefined` for one that names none. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** A span below `parent`, or the first of a new trace. */
export function childOf(parent: SpanContext | undefined): SpanContext {
  const spanId = randomBytes(8).toString('hex');
  if (parent !== undefined) return { ...parent, spanId };
  return { traceId: randomBytes(16).toString('hex'), spanId, traceFlags: 1 };
}
