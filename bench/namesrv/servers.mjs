import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../harness/free-port.mjs';
import { startChild } from '../harness/pinned-child.mjs';

const START_MILLIS = 30_000;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const watch = path('watch.mjs');

const home = mkdtempSync(join(tmpdir(), 'rmqns-bench-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
let homes = 0;

export const OURS = 'rmqns';
export const FIXED = 'fixed answers';

/** The module and arguments of a server on this port. `brokers` are those of a fixed answer; `checksums`, whether it checks those of registrations. */
export function commandOf(name, port, { brokers = 1, checksums = true } = {}) {
  if (name === FIXED) {
    const args = [...(checksums ? ['--crc'] : []), String(port), String(brokers)];
    return { module: path('fixed-answers.mjs'), args };
  }
  const kvConfigPath = join(home, `kvConfig-${homes++}.json`);
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--set', `kvConfigPath=${kvConfigPath}`];
  return { module: path('../../apps/namesrv/dist/src/main.js'), args };
}

/**
 * Starts a server in a process of its own, on its processor, and waits until it listens.
 *
 * @param {string} name OURS or FIXED
 * @param {{ core?: number, brokers?: number, checksums?: boolean, execArgv?: string[] }} options
 */
export async function startServer(name, { core, brokers, checksums, execArgv = [] } = {}) {
  const port = await freePort();
  const { module, args } = commandOf(name, port, { brokers, checksums });
  const child = startChild({
    module,
    args,
    core,
    name,
    cwd: home,
    execArgv: ['--import', watch, ...execArgv],
  });
  try {
    await untilListening(port, () => child.isRunning);
  } catch (error) {
    await child.end();
    throw error;
  }
  return {
    name,
    port,
    pid: child.pid,
    isFixed: name === FIXED,
    usage: () => child.ask('usage'),
    startGaps: () => child.ask('startGaps'),
    stopGaps: () => child.ask('stopGaps'),
    startProfile: () => child.ask('startProfile'),
    stopProfile: () => child.ask('stopProfile'),
    signal: child.signal,
    exited: child.exited,
    end: child.end,
  };
}

/** @throws Error when it ends or takes too long */
export async function untilListening(port, isRunning) {
  const endsAt = performance.now() + START_MILLIS;
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' });
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (!isRunning() || performance.now() > endsAt)
        throw new Error('a server did not start: BENCH_STDERR=1 shows what it says', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      socket.destroy();
    }
  }
}

/** Starts the load's process on its processor. */
export function startGenerator({ core }) {
  return startChild({ module: path('load/generator-process.mjs'), core, name: 'the load' });
}
