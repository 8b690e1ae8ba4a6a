import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The socket state LISTEN in /proc/net/tcp. */
const LISTEN = '0A';

/**
 * Who listens on a port of this machine: `process 4711 (java -Xms1g …)`. `undefined` where this system or this user cannot tell: only Linux
 * has /proc, and only root sees the sockets of others in it.
 */
export function describePortOwner(port: number, proc = '/proc'): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(read(`${proc}/net/${table}`), port)));
  if (inodes.size === 0) return undefined;
  const pid = list(proc)
    .filter((name) => /^\d+$/.test(name))
    .find((name) => list(`${proc}/${name}/fd`).some((fd) => inodes.has(link(`${proc}/${name}/fd/${fd}`))));
  return pid === undefined ? undefined : `process ${pid} (${commandOf(read(`${proc}/${pid}/cmdline`))})`;
}

/** The sockets of a table that listen on the port, as the links of file descriptors call them: `socket:[12345]`. */
function listeningInodes(table: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTEN && local?.endsWith(`:${hexPort}`))
    .map((columns) => `socket:[${columns[9]}]`);
}

/** The beginning of a command line, in one line. */
function commandOf(cmdline: string): string {
  const text = cmdline.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function read(path: string): string {
  return orElse(() => readFileSync(path, 'utf8'), '');
}

function list(path: string): string[] {
  return orElse(() => readdirSync(path), []);
}

function link(path: string): string {
  return orElse(() => readlinkSync(path), '');
}

/** A process may end while it is looked at, and others' cannot be looked into. */
function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
