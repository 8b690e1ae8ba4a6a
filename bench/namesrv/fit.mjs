/**
 * The straight line through points by least squares; each point counts by its share, not by its size, so that small sizes are not drowned:
 * weights are 1 / y².
 *
 * @param {readonly [number, number][]} points
 * @returns {{ base: number, each: number, error: number }} y = base + each * x; `error` is the largest relative error of a point
 */
export function fitLine(points) {
  let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
  for (const [x, y] of points) {
    const weight = 1 / Math.max(y * y, Number.MIN_VALUE);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const each = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  const base = (wy - each * wx) / w;
  const error = Math.max(...points.map(([x, y]) => Math.abs(base + each * x - y) / y));
  return { base, each, error };
}
