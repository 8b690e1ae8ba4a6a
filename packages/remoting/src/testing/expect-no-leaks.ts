import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** What is looked for, by the name of its kind in `node:async_hooks`. */
const kinds: Readonly<Record<string, string>> = {
  TCPWRAP: 'a TCP connection',
  TCPSERVERWRAP: 'a TCP server',
  PIPEWRAP: 'a connection of a Unix socket or pipe',
  PIPESERVERWRAP: 'a server of a Unix socket or pipe',
  UDPWRAP: 'a UDP socket',
  PROCESSWRAP: 'a child process',
  WORKER: 'a worker thread',
  FSEVENTWRAP: 'a watcher of files',
  STATWATCHER: 'a watcher of files',
  SIGNALWRAP: 'a listener of signals',
  Timeout: 'a timer',
};

/** Node closes handles a turn or more after it was told to; sockets wait for the other side's word besides. */
const PATIENCE_TURNS = 500;

interface Opened {
  readonly kind: string;
  readonly resource: object;
  readonly where: string;
}

/** Tells what a run opens from what others open meanwhile, such as the test runner its timer. */
const runs = new AsyncLocalStorage<object>();

/** Thrown by {@link expectNoLeaks}. */
export class LeakError extends Error {
  /** What was left behind, one text each. */
  readonly leaks: readonly string[];

  constructor(leaks: readonly string[]) {
    super(`${leaks.length} ${leaks.length === 1 ? 'thing was' : 'things were'} left behind:\n- ${leaks.join('\n- ')}`);
    this.leaks = leaks;
  }

  override get name(): string {
    return 'LeakError';
  }
}

/**
 * Runs something and fails when it leaves behind what it opened: connections, servers, timers (background ones too), children, workers,
 * watchers, listeners of `process`. Each is named with the place in the code that made it. What `run` returns or throws is passed on.
 *
 * What others open meanwhile is left alone, and so is what something older opens on behalf of `run`, say a client made before. Timers of a
 * {@link ManualClock} are no timers of the process: look at `clock.pendingTimers`. Makes `run` slower, as each resource is noted with its
 * stack.
 *
 * @throws LeakError
 */
export async function expectNoLeaks<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  // Node opens these when they are first asked for, which must not be now; the end of a socket asks for stderr.
  void [process.stdout, process.stderr];
  const opened = new Map<number, Opened>();
  const own = {};
  const listenersBefore = countListeners();
  const hook = createHook({
    init(id, kind, trigger, resource) {
      // A connection that a server accepts is made in nobody's name but the server's.
      const isOwn = runs.getStore() === own || opened.has(trigger);
      if (Object.hasOwn(kinds, kind) && isOwn) opened.set(id, { kind, resource, where: placeOf(stackOf()) });
    },
    destroy(id) {
      opened.delete(id);
    },
  });
  hook.enable();
  try {
    const result = await runs.run(own, run);
    for (let turn = 0; turn < PATIENCE_TURNS && opened.size > 0; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    const leaks = [...[...opened.values()].map(describe), ...newListeners(listenersBefore)];
    if (leaks.length > 0) throw new LeakError(leaks);
    return result;
  } finally {
    hook.disable();
  }
}

function describe({ kind, resource, where }: Opened): string {
  const detail = kind === 'Timeout' ? timerDetail(resource) : addressDetail(resource);
  return `${kinds[kind]}${detail}${where === '' ? '' : `, made at ${where}`}`;
}

function timerDetail(resource: object): string {
  const { _idleTimeout: millis, hasRef } = resource as { _idleTimeout?: unknown; hasRef?(): boolean };
  const background = hasRef?.call(resource) === false ? ' in the background' : '';
  return typeof millis === 'number' ? ` of ${millis} ms${background}` : background;
}

interface AddressedHandle {
  getsockname?(into: { address?: string; port?: number }): number;
  getpeername?(into: { address?: string; port?: number }): number;
}

function addressDetail(resource: object): string {
  const handle = resource as AddressedHandle;
  const local: { address?: string; port?: number } = {};
  const remote: { address?: string; port?: number } = {};
  handle.getsockname?.(local);
  handle.getpeername?.(remote);
  const from = local.port === undefined ? '' : ` ${local.address}:${local.port}`;
  return remote.port === undefined ? from : `${from} with ${remote.address}:${remote.port}`;
}

/** Deeper than usual: Node's own frames come first. */
function stackOf(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** The first line of a stack that is neither Node's nor this file's. */
function placeOf(stack: string | undefined): string {
  const lines = (stack ?? '').split('\n').slice(1);
  const line = lines.find((at) => !at.includes('node:') && !at.includes('/src/testing/expect-no-leaks.'));
  return (
    line
      ?.trim()
      .replace(/^at (async )?/, '')
      .replace(/^.*\((.*)\)$/, '$1') ?? ''
  );
}

function countListeners(): Map<string | symbol, number> {
  return new Map(process.eventNames().map((name) => [name, process.listenerCount(name)]));
}

function newListeners(before: ReadonlyMap<string | symbol, number>): string[] {
  return [...countListeners()]
    .filter(([name, count]) => count > (before.get(name) ?? 0))
    .map(([name]) => `a listener of process for ${String(name)}`);
}
