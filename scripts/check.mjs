// Runs the checks that are no tests, all of them even where one fails, and says how many passed and failed. The numbers and the names of
// those that failed go as JSON to the file that RMQNS_TEST_COUNT names, if it does.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules/.bin');

const checks = [
  { name: 'types', command: join(bin, 'tsc'), args: ['-b'] },
  { name: 'lint and format', command: join(bin, 'biome'), args: ['ci', '--error-on-warnings', '.'] },
  { name: 'unused code', command: join(bin, 'knip'), args: [] },
  { name: 'page of differences', command: process.execPath, args: ['scripts/compatibility.mjs', '--check'] },
  { name: 'page of options', command: process.execPath, args: ['scripts/configuration.mjs', '--check'] },
  { name: 'dependency rule', command: process.execPath, args: ['scripts/check-dependencies.mjs'] },
  { name: 'API report', command: process.execPath, args: ['scripts/api-report.mjs', '--check'] },
  { name: 'links of the API reference', command: 'npm', args: ['run', '--silent', 'lint:docs'] },
  { name: 'package', command: 'npm', args: ['run', '--silent', 'lint:package'] },
];

let passed = 0;
const failures = [];
for (const { name, command, args } of checks) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  const good = status === 0;
  if (good) passed += 1;
  else failures.push(name);
  process.stdout.write(`check: ${name}: ${good ? 'passed' : `failed${error ? ` (${error.message})` : ''}`}\n`);
}

const failed = failures.length;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (process.env.RMQNS_TEST_COUNT) {
  writeFileSync(process.env.RMQNS_TEST_COUNT, `${JSON.stringify({ passed, failed, pending: 0, failures })}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
