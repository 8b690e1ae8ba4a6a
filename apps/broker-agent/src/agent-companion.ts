import type { Agent } from './agent.js';
import type { AgentConfig } from './agent-config.js';

/** Something that goes along with an agent, and stays when a new configuration has another agent take its place. */
export interface AgentCompanion {
  /**
   * The configuration is this now, at the start and after each reload; the same again as long as something of it cannot be had, a port for
   * instance, which the log says once. Never rejects.
   *
   * @returns whether it has all
   */
  update(config: AgentConfig): Promise<boolean>;
  /** Listens to what this agent tells from now on. */
  follow?(agent: Agent): void;
  /** The agent stops. */
  close(): Promise<void>;
}
