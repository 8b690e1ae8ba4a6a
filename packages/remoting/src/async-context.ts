import { AsyncResource } from 'node:async_hooks';

/** Made when this module is loaded, so outside of whatever an app runs in a context of its own. */
const outside = new AsyncResource('rmqns.remoting', { requireManualDestroy: true });

/**
 * Runs what makes a socket, timer or job that serves everybody. Its callbacks would else run in the async context (`AsyncLocalStorage`)
 * of whoever happened to come first: the one who started the server, or whose call dialled.
 */
export function inFreshContext<T>(task: () => T): T {
  return outside.runInAsyncScope(task);
}

/** A callback that runs in the async context of here, whoever calls it. Promises need none: `await` keeps its own. */
export function inThisContext<Args extends unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  // Not AsyncResource.bind: it costs ten times this on Node 20.
  const here = new AsyncResource('rmqns.remoting.callback', { requireManualDestroy: true });
  return (...args) => here.runInAsyncScope(callback, undefined, ...args);
}
