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
 *
 * `timeoutMillis` is for those that have a timeout by default, where that is too short for a load. Beside it stand `listen({ methods, tls, large })`, which gives `{ port }`, and `connect({ port, tls, large, timeoutMillis })`, which gives
 * `{ call(method, payload, done), oneway(method, payload), close() }`.
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
      ...traits,
    },
  };
}

/** `name version, …`, or nothing for what has no package. */
export function versionsOf({ traits }) {
  return traits.packages.map((name) => `${name} ${installedVersion(name)}`).join(', ');
}
