import type { Logger } from '@rmqns/remoting';
import type { WorkerLogLine } from './worker-messages.js';

/** Lines that may be under way to the owner; those above are dropped, so that the log holds nobody up. */
const MAX_WAITING = 1_000;

/** A log whose lines another process writes. `send` calls back when a line has left. */
export function workerLog(isDebug: boolean, send: (line: WorkerLogLine, sent: () => void) => void): Logger {
  let waiting = 0;
  const at =
    (level: WorkerLogLine['level']) =>
    (fields: object, message: string): void => {
      if (waiting >= MAX_WAITING) return;
      waiting++;
      send({ type: 'log', level, fields: plain(fields), message }, () => {
        waiting--;
      });
    };
  return { debug: isDebug ? at('debug') : () => {}, info: at('info'), warn: at('warn'), error: at('error') };
}

/** What of the fields can go to another process. */
function plain(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) {
    const { name: type, message } = value;
    return { type, message, ...('code' in value ? { code: value.code } : {}) };
  }
  return typeof value === 'object' && value !== null ? String(value) : value;
}
