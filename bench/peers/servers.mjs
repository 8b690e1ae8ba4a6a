import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../harness/free-port.mjs';
import { startPlainChild } from '../harness/pinned-child.mjs';
import { usageOf } from '../harness/process-usage.mjs';
import { commandOf, FIXED, OURS, startServer, untilListening } from '../namesrv/servers.mjs';
import { apacheCommand } from './apache.mjs';

export { FIXED, OURS };
export const APACHE_4 = 'Apache 4.9.7';
export const APACHE_5 = 'Apache 5.3.3';

const folder = mkdtempSync(join(tmpdir(), 'rmqns-peers-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** How to start a server by its name. */
export function plainCommand(name, port, options = {}) {
  if (name === OURS || name === FIXED) {
    const { module, args } = commandOf(name, port, options);
    return { command: process.execPath, args: [module, ...args], env: process.env };
  }
  return apacheCommand({ version: name.replace('Apache ', ''), port, folder, isSmall: options.isSmall });
}

/** Starts a server on its processor and waits until it listens; `usage()` is that of its process. */
export async function startPeer(name, { core, brokers, checksums, isSmall } = {}) {
  if (name === OURS || name === FIXED) return startServer(name, { core, brokers, checksums });
  const port = await freePort();
  const child = startPlainChild({ ...plainCommand(name, port, { isSmall }), core });
  try {
    await untilListening(port, () => child.isRunning);
  } catch (error) {
    await child.end();
    throw error;
  }
  return { name, port, pid: child.pid, isFixed: false, usage: async () => usageOf(child.pid), end: child.end };
}
