// Writes docs/compatibility.md out of its template, the table of deliberate differences in docs/compatibility.json and the list of those
// that were seen in recorded traffic. With --check it writes nothing and fails where the page is not as it would be written.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = join(root, 'docs/compatibility.md');
const template = readFileSync(join(root, 'docs/compatibility.template.md'), 'utf8');
const rows = JSON.parse(readFileSync(join(root, 'docs/compatibility.json'), 'utf8'));
const seen = JSON.parse(readFileSync(join(root, 'test/vectors/differences.json'), 'utf8'));

const problems = [];
const ids = new Set();
for (const { id } of rows) {
  if (ids.has(id)) problems.push(`docs/compatibility.json has the id ${id} twice`);
  ids.add(id);
}
for (const { id, rule } of seen) {
  if (rule !== undefined && !ids.has(rule))
    problems.push(`differences.json: the rule ${rule} of ${id} is not in docs/compatibility.json`);
}

const notice =
  '<!-- Written by `npm run docs:compatibility`; change docs/compatibility.json or docs/compatibility.template.md. -->';
const sections = new Set();
const written = `${notice}\n\n${template
  .replace(/<!-- table: (\w+) -->/g, (_marker, section) => {
    sections.add(section);
    const own = rows.filter((row) => row.section === section);
    return table(
      ['What', 'Apache', 'rmqns', 'Why', 'Switch', 'Rule'],
      own.map(({ what, apache, ours, why, switch: option, id }) => [what, apache, ours, why, option, `\`${id}\``]),
    );
  })
  .replace('<!-- recorded -->', () => table(['Traffic', 'Step', 'Code', 'Why', 'Rule'], seenRows()))}`;

for (const { id, section } of rows) {
  if (!sections.has(section))
    problems.push(`docs/compatibility.json: the section ${section} of ${id} is not in the template`);
}
if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== written)
    problems.push('docs/compatibility.md is out of date: run npm run docs:compatibility');
} else if (problems.length === 0) {
  writeFileSync(page, written);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Differences of the same traffic and reason are one row. */
function seenRows() {
  const merged = new Map();
  for (const { versions, scenario, step, code, reason, rule } of seen) {
    const traffic = `${scenario} of ${versions.join(', ')}`;
    const key = JSON.stringify([traffic, reason]);
    const row = merged.get(key) ?? { traffic, steps: new Set(), codes: new Set(), reason, rule };
    row.steps.add(step);
    row.codes.add(code);
    merged.set(key, row);
  }
  return [...merged.values()].map(({ traffic, steps, codes, reason, rule }) => [
    traffic,
    [...steps].join('; '),
    [...codes].sort((a, b) => a - b).join(', '),
    reason,
    rule === undefined ? "none: the server is as Apache's" : `\`${rule}\``,
  ]);
}

function table(heads, lines) {
  const cell = (text) => text.replaceAll('|', '\\|');
  return [heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n');
}
