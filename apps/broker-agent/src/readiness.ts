import type { AgentStatus } from './agent-status.js';

/**
 * What an agent lacks to have its node found, a phrase each; empty when it is ready: at least one name server acknowledged the whole table
 * on a connection that stands.
 */
export function missingForReadiness({ state, waitingFor, nameServers }: AgentStatus): readonly string[] {
  if (state === 'stopped') return ['the agent to run: it stops'];
  if (waitingFor.length > 0) return waitingFor;
  if (state === 'starting') return ['the start to be over'];
  return nameServers.servers.some(({ registered }) => registered) ? [] : ['any name server'];
}
