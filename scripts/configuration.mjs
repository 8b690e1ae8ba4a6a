// Writes docs/configuration.md out of its template and the table of options. With --check it writes nothing and fails where the page is not
// as it would be written. Needs the build.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namesrvOption, namesrvOptionNames } from '@rmqns/namesrv';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = join(root, 'docs/configuration.md');
const template = readFileSync(join(root, 'docs/configuration.template.md'), 'utf8');

const options = namesrvOptionNames.map((name) => ({ name, ...namesrvOption(name) }));
const tables = {
  live: options.filter(({ effect }) => effect === 'live'),
  start: options.filter(({ effect, upstream }) => effect === 'start' && upstream.length > 0),
  ours: options.filter(({ name, upstream }) => upstream.length === 0 && !name.startsWith('tls.')),
  tls: options.filter(({ name }) => name.startsWith('tls.')),
  none: options.filter(({ effect, upstream }) => effect === 'none' && upstream.length > 0),
};

const notice =
  '<!-- Written by `npm run docs:configuration`; change docs/configuration.template.md or the table of options in packages/namesrv. -->';
const written = `${notice}\n\n${template.replace(/<!-- table: (\w+) -->/g, (_marker, kind) => table(tables[kind]))}`;

if (!process.argv.includes('--check')) writeFileSync(page, written);
else if (readFileSync(page, 'utf8') !== written) {
  process.stderr.write('docs/configuration.md is out of date: run npm run docs:configuration\n');
  process.exitCode = 1;
}

function table(rows) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const lines = rows.map((row) => [
    `\`${row.name}\``,
    typeOf(row),
    row.default === undefined ? '–' : `\`${row.default}\``,
    row.since === 'rmqns' ? 'rmqns' : row.since,
    row.meaning,
  ]);
  const heads = ['Key', 'Type', 'Default', 'Since', 'Meaning'];
  return [heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n');
}

function typeOf({ type, unit, choices, min, max }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  const bounds =
    min === undefined && max === undefined ? '' : ` from ${min ?? '−∞'}${max === undefined ? '' : ` to ${max}`}`;
  return `${type}${bounds}${unit === undefined ? '' : `, ${unit}`}`;
}
