import os from 'node:os';
import type { Surroundings } from './surroundings.js';

/** What the system tells; what it cannot tell lacks, and is missed only by a configuration that needs it. */
export function thisMachine(
  variables: Surroundings['variables'],
  system: Pick<typeof os, 'hostname' | 'homedir' | 'networkInterfaces'> = os,
): Surroundings {
  return {
    variables,
    hostName: system.hostname(),
    homeDirectory: orElse(() => system.homedir(), undefined),
    networkInterfaces: orElse(() => system.networkInterfaces(), {}),
  };
}

function orElse<Value, Other>(ask: () => Value, other: Other): Value | Other {
  try {
    return ask();
  } catch {
    return other;
  }
}
