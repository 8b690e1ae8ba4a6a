import { isDeepStrictEqual } from 'node:util';
import { formatSocketAddress, type Logger } from '@rmqns/remoting';
import { isLoopback } from './admin-host.js';
import { type AdminPage, type AdminPages, AdminServer, text } from './admin-server.js';
import type { Agent } from './agent.js';
import type { AgentCompanion } from './agent-companion.js';
import type { AdminConfig, AgentConfig } from './agent-config.js';
import type { AgentMetrics } from './agent-metrics.js';
import type { AgentStatus } from './agent-status.js';
import { missingForReadiness } from './readiness.js';
import { statusDocument, statusJson } from './status-document.js';

export interface AdminCompanionOptions {
  readonly status: () => AgentStatus;
  readonly version: string;
  readonly logger: Logger;
}

/** The pages `/livez`, `/readyz`, `/metrics` and `/status` of an agent. Without a port for them it goes on. */
export class AdminCompanion implements AgentCompanion {
  /** Loaded with the first pages: what happened before is not counted. */
  #metrics: AgentMetrics | undefined;
  #agent: Agent | undefined;
  readonly #options: AdminCompanionOptions;
  #config: AdminConfig | undefined;
  #server: AdminServer | undefined;
  /** Why the port cannot be had, as it was told. */
  #problem = '';

  constructor(options: AdminCompanionOptions) {
    this.#options = options;
  }

  /** `host:port` while there are pages. */
  get address(): string | undefined {
    return this.#server?.address;
  }

  async update({ admin }: AgentConfig): Promise<boolean> {
    if (this.#server !== undefined && isDeepStrictEqual(admin, this.#config)) return true;
    const { logger } = this.#options;
    const former = this.#server;
    const isSamePort = admin?.port === this.#config?.port;
    if (admin === undefined || isSamePort) await former?.close();
    this.#config = admin;
    this.#server = undefined;
    if (admin === undefined) return true;
    const server = new AdminServer(admin, this.#pages(await this.#loadMetrics()));
    try {
      await server.start();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) logger.error({}, problem);
      this.#problem = problem;
      this.#server = isSamePort ? undefined : former;
      return false;
    }
    this.#problem = '';
    if (!isSamePort) await former?.close();
    this.#server = server;
    const { address } = server;
    logger.info({ admin: `http://${address}` }, 'the admin pages are /livez, /readyz, /metrics and /status');
    if (!isLoopback(admin.bind))
      logger.warn(
        { admin: formatSocketAddress(admin.bind, admin.port) },
        'the admin pages can be read from other machines, without a password; bind 127.0.0.1 unless the network is closed',
      );
    return true;
  }

  follow(agent: Agent): void {
    this.#agent = agent;
    this.#metrics?.follow(agent);
  }

  /** A hook ran, or was left out. */
  hookRan(hook: string, result: string): void {
    this.#metrics?.hookRan(hook, result);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #loadMetrics(): Promise<AgentMetrics> {
    if (this.#metrics !== undefined) return this.#metrics;
    const { AgentMetrics } = await import('./agent-metrics.js');
    this.#metrics = new AgentMetrics(this.#options.status);
    if (this.#agent !== undefined) this.#metrics.follow(this.#agent);
    return this.#metrics;
  }

  #pages(metrics: AgentMetrics): AdminPages {
    const { status, version } = this.#options;
    return new Map<string, () => AdminPage | Promise<AdminPage>>([
      ['/livez', () => text(200, 'the agent runs')],
      ['/readyz', () => readiness(status())],
      ['/metrics', async () => ({ contentType: metrics.contentType, body: await metrics.text() })],
      [
        '/status',
        () => ({ contentType: 'application/json; charset=utf-8', body: statusJson(statusDocument(status(), version)) }),
      ],
    ]);
  }
}

function readiness(status: AgentStatus) {
  const missing = missingForReadiness(status);
  return missing.length === 0 ? text(200, 'ready') : text(503, `waiting for:\n${missing.join('\n')}`);
}
