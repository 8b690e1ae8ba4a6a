/** Plots as SVG, without a library: grouped bars with the spread of the rounds, and lines over two logarithmic axes. */

const WIDTH = 760;
const LEFT = 270;
const RIGHT = 90;
const BAR = 14;
const PLOT_HEIGHT = 240;
const COLOURS = ['#1b7837', '#999999', '#d95f02', '#7570b3', '#e7298a'];

/**
 * Panels under each other.
 *
 * @param {{ title: string, subtitle: string, panels: object[] }} page each panel is `{ title, groups }` for bars, with `groups` of
 *   `{ label, bars: [{ label, value, min, max }] }`, or `{ title, xLabel, series }` for lines, with `series` of `{ label, points, fit? }`
 */
export function svgPage({ title, subtitle, panels }) {
  const parts = [];
  let y = 60;
  for (const panel of panels) {
    const { svg, height } = panel.groups === undefined ? linesPanel(panel, y) : barsPanel(panel, y);
    parts.push(svg);
    y += height + 30;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    text(20, 26, title, 'font-size="17" font-weight="bold"'),
    text(20, 44, subtitle, 'fill="#555555" font-size="11"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function barsPanel({ title, groups }, top) {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ max }) => max)), Number.MIN_VALUE);
  const scale = (value) => ((WIDTH - LEFT - RIGHT) * value) / most;
  const names = [...new Set(groups.flatMap(({ bars }) => bars.map(({ label }) => label)))];
  const parts = [text(20, top + 14, title, 'font-weight="bold"'), legend(names, top + 32)];
  let y = top + 44;
  for (const { label, bars } of groups) {
    parts.push(text(LEFT - 8, y + (bars.length * BAR) / 2 + 4, label, 'text-anchor="end"'));
    for (const bar of bars) {
      const middle = y + BAR / 2 - 1;
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${round(scale(bar.value))}" height="${BAR - 3}" fill="${colour(names, bar.label)}"/>`,
        `<line x1="${round(LEFT + scale(bar.min))}" x2="${round(LEFT + scale(bar.max))}" y1="${middle}" y2="${middle}" stroke="#222222"/>`,
        text(LEFT + scale(bar.max) + 6, y + BAR - 4, short(bar.value), 'font-size="11"'),
      );
      y += BAR;
    }
    y += 8;
  }
  return { svg: parts.join('\n'), height: y - top };
}

function linesPanel({ title, xLabel, series }, top) {
  const points = series.flatMap(({ points }) => points).filter(([x, y]) => x > 0 && y > 0);
  const [xs, ys] = [0, 1].map((i) => logarithmic(points.map((point) => point[i])));
  const [left, width] = [90, WIDTH - 90 - 40];
  const [plotTop, bottom] = [top + 50, top + 50 + PLOT_HEIGHT];
  const px = (x) => round(left + width * xs.share(x));
  const py = (y) => round(bottom - PLOT_HEIGHT * ys.share(y));
  const names = series.map(({ label }) => label);
  const parts = [text(20, top + 14, title, 'font-weight="bold"'), legend(names, top + 32)];
  for (const tick of xs.ticks)
    parts.push(
      `<line x1="${px(tick)}" x2="${px(tick)}" y1="${plotTop}" y2="${bottom}" stroke="#e5e5e5"/>`,
      text(px(tick), bottom + 16, short(tick), 'text-anchor="middle" font-size="11"'),
    );
  for (const tick of ys.ticks)
    parts.push(
      `<line x1="${left}" x2="${left + width}" y1="${py(tick)}" y2="${py(tick)}" stroke="#e5e5e5"/>`,
      text(left - 8, py(tick) + 4, short(tick), 'text-anchor="end" font-size="11"'),
    );
  for (const { label, points: own, fit } of series) {
    const stroke = colour(names, label);
    if (fit !== undefined) parts.push(fitCurve({ fit, xs, ys, px, py, stroke }));
    else parts.push(polyline(own, px, py, stroke));
    for (const [x, y] of own)
      if (x > 0 && y > 0) parts.push(`<circle cx="${px(x)}" cy="${py(y)}" r="3.5" fill="${stroke}"/>`);
  }
  parts.push(text(left + width / 2, bottom + 34, xLabel, 'text-anchor="middle" fill="#555555"'));
  return { svg: parts.join('\n'), height: PLOT_HEIGHT + 90 };
}

/** A straight line is none on logarithmic axes. */
function fitCurve({ fit, xs, ys, px, py, stroke }) {
  const steps = 60;
  const points = Array.from({ length: steps + 1 }, (_, i) => xs.at(i / steps))
    .map((x) => [x, fit.base + fit.each * x])
    .filter(([, y]) => y >= ys.least && y <= ys.most);
  return polyline(points, px, py, stroke, 'stroke-dasharray="4 3"');
}

function polyline(points, px, py, stroke, more = '') {
  const places = points.map(([x, y]) => `${px(x)},${py(y)}`).join(' ');
  return `<polyline points="${places}" fill="none" stroke="${stroke}" stroke-width="1.5" ${more}/>`;
}

/** An axis from a power of ten to another, or over less than one where the values are near each other. */
function logarithmic(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const steps = [1, 2, 5];
  const candidates = [];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)) + 1; power++)
    for (const step of steps) candidates.push(Number((step * 10 ** power).toPrecision(1)));
  const least = candidates.filter((tick) => tick <= low).at(-1);
  const most = candidates.find((tick) => tick > least && tick >= high);
  const [from, to] = [Math.log10(least), Math.log10(most)];
  return {
    least,
    most,
    ticks: candidates.filter((tick) => tick >= least && tick <= most),
    share: (value) => (Math.log10(value) - from) / (to - from),
    at: (share) => 10 ** (from + share * (to - from)),
  };
}

function legend(names, y) {
  let x = 20;
  return names
    .map((name) => {
      const item = `<rect x="${x}" y="${y - 9}" width="10" height="10" fill="${colour(names, name)}"/>\n${text(x + 15, y, name, 'font-size="11"')}`;
      x += 30 + name.length * 6.5;
      return item;
    })
    .join('\n');
}

const colour = (names, name) => COLOURS[names.indexOf(name) % COLOURS.length];
const round = (value) => Number(value.toFixed(1));
const text = (x, y, content, more = '') => `<text x="${round(x)}" y="${round(y)}" ${more}>${escaped(content)}</text>`;
const escaped = (content) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function short(value) {
  if (value >= 1_000_000) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 10_000) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}
