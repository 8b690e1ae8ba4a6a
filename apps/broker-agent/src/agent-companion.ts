import type { Agent } from './agent.js';
import type { AgentConfig } from './agent-config.js';

/** Something that goes along with an agent, and stays when a new configuration has another agent take its place. */
export interface AgentCompanion {
  /** The configuration is this now, at the start and after each reload. Says in the log what of it cannot be had; never rejects. */
  update(config: AgentConfig): Promise<void>;
  /** Listens to what this agent tells from now on. */
  follow?(agent: Agent): void;
  /** The agent stops. */
  close(): Promise<void>;
}
