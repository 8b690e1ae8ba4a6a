import { ratiosOf } from '../harness/case-report.mjs';
import { markdownTable, median, short, spread } from '../harness/results.mjs';

const HOLDS = { '<=': (value, limit) => value <= limit, '>=': (value, limit) => value >= limit };

/**
 * What the name server is to reach, of one case: a ratio to another server, or a figure of its own where `other` is absent.
 *
 * @param {{ label: string, samples: Record<string, object[]>, bars?: object[] }} measured each bar is `{ figure, title, other?, op, limit }`
 */
export function judge(ours, { label, samples, bars = [] }) {
  return bars.flatMap((bar) => {
    const values =
      bar.other === undefined
        ? samples[ours].map((sample) => sample[bar.figure])
        : ratiosOf(samples, ours, bar.other, bar.figure);
    if (values.length === 0) return [];
    const value = median(values);
    return [{ label, ...bar, value, values, holds: HOLDS[bar.op](value, bar.limit) }];
  });
}

export function barsTable(judged) {
  const sign = { '<=': 'at most', '>=': 'at least' };
  return markdownTable(
    ['', 'what', 'to reach', 'measured'],
    judged.map(({ label, title, other, op, limit, values, holds }) => [
      holds ? 'pass' : 'MISS',
      `${label}: ${title}`,
      `${sign[op]} ${other === undefined ? short(limit) : `${limit} x ${other}`}`,
      spread(values),
    ]),
  );
}
