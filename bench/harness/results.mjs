import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const defaultFolder = fileURLToPath(new URL('../results/', import.meta.url));

/** Writes a result as figures for programs, as text for people and, where there is one, as a plot (SVG). Gives the paths back. */
export function writeResult({ name, folder = defaultFolder, figures, text, plot, now = new Date() }) {
  mkdirSync(folder, { recursive: true });
  const stamp = now.toISOString().slice(0, 16).replace(/[-:]/g, '').replace('T', '-');
  const path = join(folder, `${name}-${stamp}`);
  writeFileSync(`${path}.json`, `${JSON.stringify(figures, undefined, 1)}\n`);
  writeFileSync(`${path}.md`, `${text.trimEnd()}\n`);
  if (plot !== undefined) writeFileSync(`${path}.svg`, plot);
  return [`${path}.md`, `${path}.json`, ...(plot === undefined ? [] : [`${path}.svg`])];
}

/** A Markdown table whose columns stand under each other in a terminal too. */
export function markdownTable(head, rows) {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i].length)));
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Three significant digits; thousands with a k. */
export function short(value) {
  if (!Number.isFinite(value)) return '-';
  if (value >= 10_000) return `${short(value / 1000)}k`;
  if (value >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

/** `median (min-max)`; the value alone when there is one. */
export function spread(values) {
  const known = values.filter((value) => typeof value === 'number' && !Number.isNaN(value));
  if (known.length < 2) return short(known[0]);
  return `${short(median(known))} (${short(Math.min(...known))}-${short(Math.max(...known))})`;
}
