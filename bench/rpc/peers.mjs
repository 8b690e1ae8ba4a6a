import { installedVersion } from '../harness/install-peers.mjs';

/** All that are measured, by name; ours last in each round. Each is a module in `peers/`. */
export const PEERS = [
  'bare',
  'rsocket',
  'nest',
  'moleculer',
  'vscode-jsonrpc',
  'grpc-js',
  'sofa-rpc',
  'rmqns-raw-json',
  'rmqns-raw-rocketmq',
  'rmqns-typed',
  'rmqns-typed-watched',
];

/**
 * What a peer's module exports as `traits`, with defaults in place.
 *
 * - `packages`: those whose versions belong in the table
 * - `carries`: what a body is, `bytes` or `text` (a string of as many letters, for those that speak JSON)
 * - `object`: `native` when objects are its bodies, `json` when the bench makes bytes of them
 * - `oneway`, `tls`, `churn`, `idle`: whether it can do that
 * - `dialsBack`: whether answers come over a connection that the server makes
 *
 * Beside it stand `listen(options)`, which gives `{ port }` (and `mostWaitedMillis()`, where calls of `limited` wait before the method), and `connect({ port, ...options })`, which gives
 * `{ call(method, payload, done), oneway(method, payload), close() }`. The options:
 *
 * - `methods`: what the server does, by name
 * - `tls`: `{ key, cert, keyPath, certPath }` of the server, as texts and as files
 * - `large`: bodies may be up to 16 MiB
 * - `timeoutMillis`: of calls, for those that have a timeout by default, where that is too short for a load
 * - `brisk`: faults are to be noticed within some 5 s, where there is a setting for that
 */
export async function loadPeer(name) {
  const { traits, listen, connect } = await import(`./peers/${name}.mjs`);
  return {
    name,
    listen,
    connect,
    traits: {
      object: traits.carries === 'text' ? 'native' : 'json',
      oneway: false,
      tls: false,
      churn: true,
      idle: true,
      dialsBack: false,
      ...traits,
    },
  };
}

/** `name version, …`, or nothing for what has no package. */
export function versionsOf({ traits }) {
  return traits.packages.map((name) => `${name} ${installedVersion(name)}`).join(', ');
}
