import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChannelSocket, type Clock, systemClock } from '@rmqns/remoting';
import type { FromWorker, ToWorker } from './worker-messages.js';
import type { WorkerListener, WorkerProcess } from './worker-process.js';

const main = fileURLToPath(new URL('./worker-main.js', import.meta.url));
/** The descriptor of the lane in the worker. */
export const LANE_FD = 4;
/** How often a worker is asked for a sign of life, and how many questions may be left open. */
const PING_MILLIS = 5_000;
const MAX_UNANSWERED = 3;

/**
 * Starts a worker as a process of its own. It ends with this one: its channel closes then. One that gives no sign of life for 15 to 20 s, as a
 * process does that was stopped, is ended.
 */
export function forkWorker({ onMessage, onExit }: WorkerListener, clock: Clock = systemClock): WorkerProcess {
  const child = fork(main, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    // Two processes cannot be debugged on one port.
    execArgv: process.execArgv.filter((argument) => !argument.startsWith('--inspect')),
  });
  let isOver = false;
  const over = (how: string): void => {
    if (isOver) return;
    isOver = true;
    pings.cancel();
    onExit(how);
  };
  let unanswered = 0;
  const ping = (): void => {
    if (unanswered >= MAX_UNANSWERED) child.kill('SIGKILL');
    unanswered++;
    if (child.connected) child.send({ type: 'ping' } satisfies ToWorker, () => {});
  };
  const pings = clock.setInterval(ping, PING_MILLIS, true);
  child.on('message', (message) => {
    const told = message as FromWorker;
    if (told.type === 'pong') unanswered = 0;
    else onMessage(told);
  });
  child.on('error', (error) => {
    if (child.pid === undefined) over(`could not be started: ${error.message}`);
  });
  child.on('exit', (code, signal) => over(signal === null ? `ended with code ${code}` : `was ended by ${signal}`));
  return {
    pid: child.pid,
    lane: child.stdio[LANE_FD] as ChannelSocket,
    send: (message, socket, sent = () => {}) => {
      if (child.connected) child.send(message, socket, { keepOpen: true }, sent);
      else sent(new Error('the worker is gone'));
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
