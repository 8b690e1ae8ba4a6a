import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = `${root}node_modules/typescript/bin/tsc`;
const projects = ['apps/namesrv', 'apps/broker-agent', 'examples/storage-node'];

/**
 * Compiles what `npm start` needs; says nothing when all is up to date.
 *
 * @param {AbortSignal} signal ends the compiler
 */
export async function build(signal) {
  if (!existsSync(compiler)) throw new Error('the dependencies are not installed; run: npm ci');
  if (!projects.every((project) => existsSync(`${root}${project}/dist/src/main.js`)))
    process.stdout.write('Building, for the first time only ...\n');
  const child = spawn(process.execPath, [compiler, '-b', ...projects], { cwd: root, stdio: ['ignore', 2, 2] });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (code !== 0) throw new Error('the build failed, as shown above');
}
