import { fork, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { asker } from './ask.mjs';

/** Whether a process can be held on one processor here. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

/**
 * Starts a module in a process of its own, on one processor where that can be.
 *
 * @param {{ module: string, args?: string[], core?: number | undefined, name: string, execArgv?: string[],
 *   cwd?: string }} options
 */
export function startChild({ module, args = [], core, name, execArgv = [], cwd }) {
  const pinned = canPin && core !== undefined;
  const child = fork(module, args, {
    execPath: pinned ? 'taskset' : process.execPath,
    execArgv: pinned ? ['-c', String(core), process.execPath, ...execArgv] : execArgv,
    cwd,
    env: { ...process.env, NODE_ENV: 'production' },
    // Bodies of questions and answers are small; what a peer prints is not for the table.
    stdio: ['ignore', 'ignore', process.env.BENCH_STDERR === '1' ? 'inherit' : 'ignore', 'ipc'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
    child.once('error', (error) => resolve(error.message));
  });
  const ask = asker(child, name);
  return {
    pid: child.pid,
    ask,
    exited,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: (name) => child.kill(name),
    /** Ends it for certain; also one that was stopped by a signal. */
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * Starts any program, on one processor where that can be. Its pid is the program's own.
 *
 * @param {{ command: string, args: string[], core?: number, cwd?: string, env?: NodeJS.ProcessEnv, output?: 'pipe' | 'ignore' }} options
 *   with `pipe`, `text()` is what it has written to stdout so far, `complaints()` to stderr
 */
export function startPlainChild({ command, args, core, cwd, env = process.env, output = 'ignore' }) {
  const isPinned = canPin && core !== undefined;
  const child = spawn(isPinned ? 'taskset' : command, isPinned ? ['-c', String(core), command, ...args] : args, {
    cwd,
    env: { ...env, NODE_ENV: 'production' },
    stdio: ['ignore', output, output],
  });
  running.add(child);
  let text = '';
  let complaints = '';
  child.stdout?.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  child.stderr?.setEncoding('utf8').on('data', (more) => {
    complaints += more;
  });
  const exited = new Promise((resolve) => {
    // Whatever it wrote has been read when this comes.
    child.once('close', (code, signal) => resolve(signal ?? code));
    child.once('error', (error) => resolve(error.message));
  });
  child.once('exit', () => running.delete(child));
  return {
    pid: child.pid,
    exited,
    text: () => text,
    complaints: () => complaints,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: (name) => child.kill(name),
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
