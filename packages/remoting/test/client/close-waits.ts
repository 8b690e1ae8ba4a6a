import { existsSync, readFileSync } from 'node:fs';

/** As Linux writes the state CLOSE_WAIT: the other side has ended the connection, this one has not. */
const CLOSE_WAIT = '08';

/** Whether the system tells in which state its connections are. */
export const tellsStates = existsSync('/proc/net/tcp');

/** How many ends of connections to or from a port of this machine are in CLOSE_WAIT; 0 where the system does not tell. */
export function closeWaits(port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter(existsSync)
    .flatMap((table) => readFileSync(table, 'utf8').split('\n'))
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, remote, state]) => state === CLOSE_WAIT && (local?.endsWith(wanted) || remote?.endsWith(wanted)))
    .length;
}
