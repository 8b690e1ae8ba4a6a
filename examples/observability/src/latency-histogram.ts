import { type ChannelListener, tracingChannel } from 'node:diagnostics_channel';
import { type HandleTrace, TracingChannelName } from '@rmqns/remoting';

/** Upper bounds in milliseconds, as those of `rocketmq_rpc_latency` in RocketMQ 5. */
const BUCKETS = [1, 3, 5, 7, 10, 100, 1_000, 2_000, 3_000];
/** Peers choose the codes: beyond so many different ones all others are one. */
const MAX_SERIES = 1_000;

interface Series {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * How long requests took in this process, from their decoding to the end of their answer's writing, in the names, labels and buckets
 * of RocketMQ 5, so that its dashboards fit.
 */
export class LatencyHistogram {
  readonly #series = new Map<string, Series>();
  readonly #began = new WeakMap<object, number>();
  readonly #channel = tracingChannel(TracingChannelName.HANDLE);
  readonly #onStart: ChannelListener = (trace) => void this.#began.set(trace as object, performance.now());
  readonly #onEnd: ChannelListener = (trace) => this.#observe(trace as HandleTrace);

  constructor() {
    this.#channel.start.subscribe(this.#onStart);
    this.#channel.asyncStart.subscribe(this.#onEnd);
  }

  /** Counts no more. */
  close(): void {
    this.#channel.start.unsubscribe(this.#onStart);
    this.#channel.asyncStart.unsubscribe(this.#onEnd);
  }

  /** In Prometheus's text format. */
  toString(): string {
    const lines = ['# TYPE rocketmq_rpc_latency histogram'];
    for (const { labels, counts, sum, count } of this.#series.values()) {
      for (const [index, bound] of BUCKETS.entries())
        lines.push(`rocketmq_rpc_latency_bucket{${labels},le="${bound}"} ${counts[index]}`);
      lines.push(`rocketmq_rpc_latency_bucket{${labels},le="+Inf"} ${count}`);
      lines.push(`rocketmq_rpc_latency_sum{${labels}} ${sum}`, `rocketmq_rpc_latency_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #observe(trace: HandleTrace): void {
    const began = this.#began.get(trace);
    if (began === undefined) return;
    const millis = performance.now() - began;
    const series = this.#seriesOf(trace);
    series.count++;
    series.sum += millis;
    for (const [index, bound] of BUCKETS.entries())
      if (millis <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
  }

  #seriesOf(trace: HandleTrace): Series {
    const labels = labelsOf(trace.name?.toLowerCase() ?? String(trace.code), trace);
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    const key = this.#series.size < MAX_SERIES ? labels : labelsOf('other', trace);
    const series = this.#series.get(key) ?? { labels: key, counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    this.#series.set(key, series);
    return series;
  }
}

function labelsOf(requestCode: string, { responseCode, outcome, error }: HandleTrace): string {
  const answer = requestCode === 'other' ? 'other' : (responseCode ?? 'none');
  return `protocol_type="remoting",request_code="${requestCode}",response_code="${answer}",result="${resultOf(outcome, error)}"`;
}

/** RocketMQ's word for how it ended. */
function resultOf(outcome: HandleTrace['outcome'], error: unknown): string {
  if (outcome === 'writeFailed') return 'write_channel_failed';
  if (error !== undefined) return 'process_request_failed';
  if (outcome === 'oneway' || outcome === 'cancelled') return outcome;
  return 'success';
}
