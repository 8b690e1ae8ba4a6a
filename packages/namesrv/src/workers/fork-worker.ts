import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChannelSocket } from '@rmqns/remoting';
import type { FromWorker } from './worker-messages.js';
import type { SpawnWorker } from './worker-process.js';

const main = fileURLToPath(new URL('./worker-main.js', import.meta.url));
/** The descriptor of the lane in the worker. */
export const LANE_FD = 4;

/** A process of its own. It ends with this one: its channel closes then. */
export const forkWorker: SpawnWorker = ({ onMessage, onExit }) => {
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
    onExit(how);
  };
  child.on('message', (message) => onMessage(message as FromWorker));
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
};
