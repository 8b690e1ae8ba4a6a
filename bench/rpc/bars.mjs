import { median } from '../harness/results.mjs';

/** What this package promises of itself beside the others, for the load echo-1k. */

const RAW = ['rmqns-raw-json', 'rmqns-raw-rocketmq'];
const TYPED = ['rmqns-typed'];
const BUSY_SHAPES = ['1x64', '16x8'];

const BARS = [
  ...bars(RAW, 'bare', 'serverMicros', '<=', 1.6, BUSY_SHAPES),
  ...bars(TYPED, 'bare', 'serverMicros', '<=', 2.5, BUSY_SHAPES),
  ...bars(TYPED, 'rsocket', 'serverMicros', '<', 1, BUSY_SHAPES),
  ...bars([...RAW, ...TYPED], 'nest', 'requestsPerSecond', '>=', 2, BUSY_SHAPES),
  ...bars([...RAW, ...TYPED], 'moleculer', 'requestsPerSecond', '>=', 2, BUSY_SHAPES),
  ...bars([...RAW, ...TYPED], 'grpc-js', 'requestsPerSecond', '>=', 10, BUSY_SHAPES),
  ...bars([...RAW, ...TYPED], 'bare', 'p50Micros', '<=', 1.3, ['1x1']),
];

function bars(ours, other, figure, operator, limit, shapes) {
  return shapes.flatMap((shape) => ours.map((name) => ({ name, other, figure, operator, limit, shape })));
}

const HOLDS = {
  '<=': (value, limit) => value <= limit,
  '<': (value, limit) => value < limit,
  '>=': (value, limit) => value >= limit,
};

/**
 * @param {(load: string, shape: string, peer: string) => object[]} samplesOf by round
 * @returns the bars whose two sides were measured; `ratio` is the median of the rounds' own, so that a machine whose speed drifts does not
 * bend it
 */
export function judgeBars(samplesOf) {
  return BARS.flatMap((bar) => {
    const theirs = samplesOf('echo-1k', bar.shape, bar.other);
    const ratios = samplesOf('echo-1k', bar.shape, bar.name).flatMap((sample, round) => {
      const ratio = sample[bar.figure] / theirs[round]?.[bar.figure];
      return Number.isFinite(ratio) ? [ratio] : [];
    });
    if (ratios.length === 0) return [];
    const ratio = median(ratios);
    return [
      {
        ...bar,
        ratio,
        min: Math.min(...ratios),
        max: Math.max(...ratios),
        holds: HOLDS[bar.operator](ratio, bar.limit),
      },
    ];
  });
}
