import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNameServer, type NameServer, type ProfileName } from '@rmqns/namesrv';
import { NameServerClient } from '@rmqns/namesrv-client';
import { CapturedProcess, freePort } from '@rmqns/test-kit';

export const main = fileURLToPath(new URL('../src/rmq-agent.cjs', import.meta.url));
/** The launcher of the checkout, whichever directory the test runs in. */
export const launcher = fileURLToPath(new URL('../../../../scripts/rmq-agent', import.meta.url));

/** A fresh directory with what one test starts in it; all of it ends with the test. */
export class AgentHome implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  readonly client = new NameServerClient();
  readonly #agents: CapturedProcess[] = [];
  readonly #nameServers: NameServer[] = [];

  async nameServer(profile: ProfileName = '5.3.3', port = 0): Promise<NameServer> {
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: port, profile });
    this.#nameServers.push(server);
    await server.start();
    return server;
  }

  /** An address that nobody listens on. */
  async deadAddress(): Promise<string> {
    return `127.0.0.1:${await freePort()}`;
  }

  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** The agent's own configuration for broker-a of cluster C at 127.0.0.1:10911, with static topics. */
  yaml(addresses: readonly string[], topics: readonly string[], more = ''): string {
    return this.write(
      'agent.yaml',
      JSON.stringify({
        namesrv: { addresses },
        identity: { cluster: 'C', brokerName: 'broker-a', address: '127.0.0.1' },
        topics: { sources: [{ static: topics.map((topic) => ({ topic, read: 4, write: 4 })) }] },
        state: { dir: join(this.path, 'state') },
      }).replace(/}$/, `${more}}`),
    );
  }

  /** Without admin pages, unless it is given a port for them. */
  agent(
    given: readonly string[],
    options: {
      readonly command?: string;
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): CapturedProcess {
    const { command, cwd = this.path, env = {} } = options;
    const args = given.includes('--admin-port') ? given : [...given, '--admin-port', '0'];
    const started = new CapturedProcess({
      name: 'rmq-agent',
      command: command ?? process.execPath,
      args: command === undefined ? [main, ...args] : args,
      cwd,
      env: { HOME: this.path, NAMESRV_ADDR: '', ...env },
    });
    this.#agents.push(started);
    return started;
  }

  /** Topics of broker-a that a name server has in its routes; `undefined` when it does not know the broker. */
  async topicsAt(address: string, topics: readonly string[]): Promise<string[] | undefined> {
    const { brokerAddrTable } = await this.client.getBrokerClusterInfo(address);
    if (!brokerAddrTable.has('broker-a')) return undefined;
    const found: string[] = [];
    for (const topic of topics) {
      const route = await this.client.getRouteInfoByTopic(address, topic);
      if (route?.brokerDatas.some(({ brokerName }) => brokerName === 'broker-a')) found.push(topic);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents) await agent[Symbol.asyncDispose]();
    await this.client.close();
    for (const server of this.#nameServers) await server.close();
    rmSync(this.path, { recursive: true });
  }
}

/** The next change of a name server's tables of that kind. */
export function nextEvent(server: NameServer, type: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (event: { readonly type: string }): void => {
      if (event.type !== type) return;
      server.off('change', listener);
      resolve();
    };
    server.on('change', listener);
  });
}
