import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPlainChild } from '../harness/pinned-child.mjs';

const folder = fileURLToPath(new URL('nsload/', import.meta.url));
const program = `${folder}nsload`;

/** Builds the load generator, which needs Go. */
export function buildNsload() {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, stderr, error } = spawnSync('go', ['build', '-o', 'nsload', '.'], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`nsload could not be built: ${error?.message ?? stderr}`);
}

/**
 * Runs the load generator on its processor until it ends, or to its first line.
 *
 * @param {{ mode: string, flags: string[], core?: number, timeoutMillis?: number, cwd?: string }} options
 * @returns {Promise<object>} what it measured
 * @throws Error when an answer was wrong or missing, or it did not end in time
 */
export async function runNsload({ mode, flags, core, timeoutMillis = 180_000, env }) {
  const child = startPlainChild({ command: program, args: [mode, ...flags], core, env, output: 'pipe' });
  const timer = setTimeout(() => child.signal('SIGKILL'), timeoutMillis);
  try {
    const exit = await child.exited;
    const result = parse(child.text());
    if (exit !== 0 || result === undefined || result.errors > 0)
      throw new Error(
        `nsload ${mode} ${flags.join(' ')} ended with ${exit}: ${reasonOf(result) ?? child.complaints().slice(-500)}`,
      );
    return result;
  } finally {
    clearTimeout(timer);
  }
}

/** Registers many brokers and holds them until told otherwise. */
export async function startSeed({ flags, core, timeoutMillis = 180_000 }) {
  const child = startPlainChild({ command: program, args: ['seed', '-hold', '0', ...flags], core, output: 'pipe' });
  const endsAt = performance.now() + timeoutMillis;
  for (;;) {
    const result = parse(child.text());
    if (result !== undefined) return { result, end: child.end };
    if (!child.isRunning || performance.now() > endsAt) {
      await child.end();
      throw new Error(`nsload could not seed: ${child.complaints().slice(-500)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function parse(text) {
  const line = text.split('\n').find((each) => each.startsWith('{') && each.endsWith('}'));
  return line === undefined ? undefined : JSON.parse(line);
}

function reasonOf(result) {
  const texts = result?.error_text ?? result?.routes?.error_text;
  return texts === undefined ? undefined : texts.join('; ');
}
