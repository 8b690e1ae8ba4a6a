import type { ProductEnvironment } from '@rmqns/namesrv';
import { NameServerClient } from '@rmqns/namesrv-client';
import type { TopicRouteData } from '@rmqns/protocol';
import { type Clock, systemClock, type TlsClientOptions } from '@rmqns/remoting';

/** How the name servers of the product environment are found (reference: nameserver 6.4). */
export interface ProductAddresses {
  /** `host:port;host:port`; without it the address server is asked [rocketmq.namesrv.addr, NAMESRV_ADDR]. */
  readonly namesrvAddr?: string | undefined;
  /** The address server, without a port at 8080; default `jmenv.tbsite.net` [rocketmq.namesrv.domain]. */
  readonly domain?: string | undefined;
  /** What its path begins with; default `nsaddr` [rocketmq.namesrv.domain.subgroup]. */
  readonly subgroup?: string | undefined;
}

export interface ProductNameServersOptions extends ProductAddresses {
  readonly envName: string;
  /** `undefined` for plain connections. */
  readonly tls?: TlsClientOptions | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/** For finding out addresses and asking them together. */
const TIMEOUT_MILLIS = 3_000;
/** After so long the address server is asked again, as Java's clients do. */
const ADDRESSES_MILLIS = 120_000;
const MAX_LIST_LENGTH = 65_536;

/** The name servers of the environment that a cluster-test server falls back to, asked one after the other until one answers. */
export class ProductNameServers implements ProductEnvironment {
  readonly #options: ProductNameServersOptions;
  readonly #clock: Clock;
  readonly #client: NameServerClient;
  #addresses: readonly string[] = [];
  #addressesUntilMillis = -Infinity;
  #asking: Promise<void> | undefined;
  /** The one that answered last is asked first. */
  #first = 0;

  constructor(options: ProductNameServersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#client = new NameServerClient({ clock: this.#clock, remotingClientOptions: { tls: options.tls } });
    if (options.namesrvAddr === undefined) return;
    this.#addresses = splitAddresses(options.namesrvAddr);
    this.#addressesUntilMillis = Infinity;
  }

  async getRouteInfoByTopic(topic: string): Promise<TopicRouteData | undefined> {
    const endMillis = this.#clock.monotonic() + TIMEOUT_MILLIS;
    const addresses = await this.#currentAddresses();
    const first = this.#first;
    let failure: unknown = new Error('there was no time left to ask them');
    for (let tried = 0; tried < addresses.length; tried++) {
      const at = (first + tried) % addresses.length;
      // Those that follow have their part of what is left.
      const timeoutMillis = Math.floor((endMillis - this.#clock.monotonic()) / (addresses.length - tried));
      if (timeoutMillis < 1) break;
      try {
        const route = await this.#client.getRouteInfoByTopic(addresses[at] ?? '', topic, { timeoutMillis });
        this.#first = at;
        return route;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async close(): Promise<void> {
    await this.#client.remotingClient.destroy();
  }

  /** @throws Error when none is known and none can be found out */
  async #currentAddresses(): Promise<readonly string[]> {
    if (this.#clock.monotonic() >= this.#addressesUntilMillis) {
      this.#asking ??= this.#askAddressServer().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking.catch((error: unknown) => {
        if (this.#addresses.length === 0) throw error;
      });
    }
    return this.#addresses;
  }

  async #askAddressServer(): Promise<void> {
    const url = addressServerUrl(this.#options);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLIS - 1_000) });
      if (!response.ok) throw new Error(`it answers ${response.status}`);
      const addresses = splitAddresses(await readText(response));
      if (addresses.length === 0) throw new Error('it names none');
      this.#addresses = addresses;
      this.#addressesUntilMillis = this.#clock.monotonic() + ADDRESSES_MILLIS;
    } catch (error) {
      throw new Error(
        `${url} does not tell the name servers of that environment: ${reasonOf(error)}; set NAMESRV_ADDR to them, or -Drocketmq.namesrv.domain in JAVA_OPT to another address server`,
        { cause: error },
      );
    }
  }
}

/** Where the list of an environment's name servers is, as Java's clients ask for it. */
export function addressServerUrl({
  envName,
  domain = 'jmenv.tbsite.net',
  subgroup = 'nsaddr',
}: ProductNameServersOptions): string {
  const host = domain.includes(':') ? domain : `${domain}:8080`;
  return `http://${host}/rocketmq/${subgroup}-${encodeURIComponent(envName)}?nofix=1`;
}

function splitAddresses(text: string): string[] {
  return text.split(/[;\s]+/).filter((address) => address !== '');
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_LIST_LENGTH) throw new Error(`it answers with more than ${MAX_LIST_LENGTH} characters`);
  }
  return text;
}

/** fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
