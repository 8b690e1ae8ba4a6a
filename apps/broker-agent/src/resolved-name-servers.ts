import { isIP } from 'node:net';
import { type Clock, formatSocketAddress, type Logger, parseSocketAddress } from '@rmqns/remoting';
import { attempt } from './attempt.js';
import type { NameServerSource } from './name-server-source.js';
import { Poller } from './poller.js';
import { ToldProblems } from './told-problems.js';

const TIMEOUT_MILLIS = 5_000;

/** All addresses of a host, IPv4 and IPv6; rejects where there is none. */
export type LookupAll = (host: string) => Promise<readonly string[]>;

export interface ResolvedNameServersOptions {
  readonly source: NameServerSource;
  readonly lookup: LookupAll;
  readonly everyMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Another source's name servers, with every address of every name in the place of the name, looked up again and again. A name that cannot
 * be looked up keeps the addresses that it had last; one that hangs delays no other.
 */
export class ResolvedNameServers implements NameServerSource {
  readonly name: string;
  readonly #options: ResolvedNameServersOptions;
  readonly #poller: Poller;
  /** Of each name, as it had them last. */
  readonly #resolved = new Map<string, readonly string[]>();
  /** Why names could not be looked up the last time. */
  readonly #problems = new Map<string, string>();
  readonly #told = new Map<string, ToldProblems>();
  /** Those that hang, too: a name is never looked up twice at a time. */
  readonly #lookups = new Map<string, Promise<readonly string[]>>();
  readonly #closing = new AbortController();
  #current: readonly string[] | undefined;
  #onChange = (): void => {};

  constructor(options: ResolvedNameServersOptions) {
    this.name = `DNS of ${options.source.name}`;
    this.#options = options;
    this.#poller = new Poller({
      ...options,
      timeoutMillis: Number.POSITIVE_INFINITY,
      look: () => this.#look(),
      onError: (problem) => options.logger.error({ problem }, 'cannot look up name servers'),
    });
  }

  get current(): readonly string[] | undefined {
    return this.#current;
  }

  get problem(): string | undefined {
    const problems = [...this.#problems].map(([host, problem]) => `${host}: ${problem}`);
    return this.#options.source.problem ?? (problems.length > 0 ? problems.join('; ') : undefined);
  }

  async start(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    // Not with the poller, whose look may wait for a name that hangs.
    await this.#options.source.start(() => void this.#look());
    await this.#poller.start();
  }

  /** Looks all names up now. Settles when their addresses are known and told, at the latest after 5 s. */
  async look(): Promise<void> {
    await this.#poller.look();
  }

  close(): void {
    this.#onChange = () => {};
    this.#options.source.close();
    this.#poller.close();
    this.#closing.abort(new Error('the agent stops'));
  }

  async #look(): Promise<void> {
    const hosts = new Set(this.#names().map(({ host }) => host));
    for (const known of [...this.#resolved.keys(), ...this.#problems.keys()]) {
      if (hosts.has(known)) continue;
      this.#resolved.delete(known);
      this.#problems.delete(known);
      this.#told.delete(known);
    }
    this.#update();
    await Promise.all([...hosts].map((host) => this.#resolve(host)));
  }

  async #resolve(host: string): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      const addresses = await attempt(() => this.#lookup(host), TIMEOUT_MILLIS, clock, this.#closing.signal);
      if (addresses.length === 0) throw new Error('it has no address');
      this.#told.delete(host);
      if (this.#problems.delete(host)) logger.info({ host, addresses }, 'the name can be looked up again');
      this.#resolved.set(host, addresses);
      this.#update();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const problem = error instanceof Error ? error.message : String(error);
      const fields = { host, problem, addresses: this.#resolved.get(host) };
      const told = this.#told.get(host) ?? new ToldProblems();
      this.#told.set(host, told);
      logger[told.isNews(problem) ? 'warn' : 'debug'](
        fields,
        'cannot look up a name server, the addresses it had stay',
      );
      this.#problems.set(host, problem);
    }
  }

  #lookup(host: string): Promise<readonly string[]> {
    const pending = this.#lookups.get(host);
    if (pending !== undefined) return pending;
    const lookup = this.#options.lookup(host).finally(() => this.#lookups.delete(host));
    this.#lookups.set(host, lookup);
    return lookup;
  }

  #names(): { readonly host: string; readonly port: number }[] {
    return (this.#options.source.current ?? []).map(parseSocketAddress).filter(({ host }) => isIP(host) === 0);
  }

  #update(): void {
    const all = new Set<string>();
    for (const address of this.#options.source.current ?? []) {
      const { host, port } = parseSocketAddress(address);
      const hosts = isIP(host) === 0 ? (this.#resolved.get(host) ?? []) : [host];
      for (const each of hosts) all.add(formatSocketAddress(each, port));
    }
    const addresses = [...all].sort();
    if (addresses.length === 0 || JSON.stringify(addresses) === JSON.stringify(this.#current)) return;
    this.#current = addresses;
    this.#onChange();
  }
}
