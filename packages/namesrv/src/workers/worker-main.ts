import { Socket } from 'node:net';
import { systemClock } from '@rmqns/remoting';
import { LANE_FD } from './fork-worker.js';
import { LookupWorker } from './lookup-worker.js';
import { workerLog } from './worker-log.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

// The main module of a process that serves lookups; see forkWorker.

// These come to all processes of a terminal or a service: its owner says when to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});

let worker: LookupWorker | undefined;

function toOwner(message: FromWorker, sent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
}

function start({ settings }: Extract<ToWorker, { readonly type: 'start' }>): void {
  worker = new LookupWorker({
    settings,
    lane: new Socket({ fd: LANE_FD, readable: true, writable: true }),
    toOwner,
    onLaneClosed: () => void end(),
    clock: systemClock,
    logger: workerLog(settings.isDebug, toOwner),
  });
  void worker.start();
}

async function end(): Promise<void> {
  await worker?.destroy();
  if (process.connected) process.disconnect();
}

process.on('disconnect', () => void end());
process.on('message', (message, socket) => {
  const told = message as ToWorker;
  switch (told.type) {
    case 'start':
      start(told);
      break;
    case 'connection':
      // It may have closed on its way here.
      if (worker !== undefined && socket instanceof Socket) worker.accept(told.id, socket);
      else toOwner({ type: 'closed', id: told.id });
      break;
    case 'ping':
      toOwner({ type: 'pong' });
      break;
    case 'stop':
      void worker?.close(told).then(end);
      break;
  }
});
