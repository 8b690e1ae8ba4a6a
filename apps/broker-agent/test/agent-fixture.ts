import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from '../src/agent-config.js';
import { topic } from './turnable-parts.js';

/** A configuration for broker-a of cluster C with static topics, its state in a directory of its own. */
export function agentConfig(
  namesrvAddresses: readonly string[],
  topics: readonly string[],
  stateDirectory: string,
): AgentConfig {
  return {
    namesrvAddresses,
    identity: {
      clusterName: 'C',
      brokerName: 'broker-a',
      brokerId: 0,
      brokerAddr: '10.0.0.1:10911',
      haServerAddr: '10.0.0.1:10912',
      brokerPermission: 6,
      filterServers: [],
    },
    register: {
      periodMillis: 30_000,
      timeoutMillis: 6_000,
      compressed: false,
      forceRegister: true,
      changesOnly: false,
      onConflict: 'standBack',
      includeBrokerTopics: false,
      unregisterOnStop: true,
      startDelayMillis: 0,
    },
    topics: {
      sources: [{ kind: 'static', table: new Map(topics.map((name) => [name, topic(name)])) }],
      debounceMillis: 500,
      minimum: 0,
    },
    health: { onFailing: 'unregister' },
    stateDirectory,
  };
}

/** A directory that is removed at the end of its scope. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'rmqns-test-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}
