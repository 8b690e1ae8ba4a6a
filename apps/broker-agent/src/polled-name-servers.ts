import { describeFileError } from '@rmqns/program';
import type { Clock, Logger } from '@rmqns/remoting';
import { httpGet, plainBody } from './http-get.js';
import type { NameServerSource } from './name-server-source.js';
import { checkAddresses } from './namesrv-addresses.js';
import { Poller } from './poller.js';
import { readRegularFile } from './read-regular-file.js';
import { ToldProblems } from './told-problems.js';
import { urlName } from './url-name.js';

/** Far more than any list of addresses. */
const MAX_MEBIBYTES = 1;
const MAX_BYTES = MAX_MEBIBYTES << 20;
/** As Apache's brokers and clients wait for an address server. */
const TIMEOUT_MILLIS = 3_000;

export interface PolledNameServersOptions {
  readonly name: string;
  /** Asks once for the text that holds the list; an error with a sentence when there is none. */
  readonly ask: (signal: AbortSignal) => Promise<string>;
  readonly everyMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A list of name servers that is asked for again and again. What is no good list leaves the last good one as it was. */
export class PolledNameServers implements NameServerSource {
  readonly name: string;
  current: readonly string[] | undefined;
  problem: string | undefined;
  readonly #options: PolledNameServersOptions;
  readonly #poller: Poller;
  readonly #told = new ToldProblems();
  #onChange = (): void => {};

  constructor(options: PolledNameServersOptions) {
    this.name = options.name;
    this.#options = options;
    this.#poller = new Poller({
      ...options,
      timeoutMillis: TIMEOUT_MILLIS,
      look: async (signal) => {
        const text = await options.ask(signal);
        if (!signal.aborted) this.#take(text);
      },
      onError: (problem) => this.#complain(problem),
    });
  }

  async start(onChange: () => void): Promise<void> {
    await this.#poller.start();
    this.#onChange = onChange;
  }

  /** Asks now. Settles when the answer is known and told. */
  look(): Promise<void> {
    return this.#poller.look();
  }

  close(): void {
    this.#poller.close();
    this.#onChange = () => {};
  }

  #take(text: string): void {
    const { addresses, problems } = checkAddresses(text.split(/[;,\s]+/).filter((part) => part !== ''));
    if (problems.length > 0) throw new Error(problems.join('; '));
    if (addresses.length === 0) throw new Error('it names no name server');
    if (this.problem !== undefined) this.#options.logger.info({ source: this.name }, 'name servers are known again');
    this.problem = undefined;
    this.#told.clear();
    const before = JSON.stringify([...(this.current ?? [])].sort());
    if (JSON.stringify([...addresses].sort()) === before) return;
    this.current = addresses;
    this.#onChange();
  }

  #complain(problem: string): void {
    const fields = { source: this.name, problem, namesrv: this.current };
    const message =
      this.current === undefined ? 'cannot tell the name servers' : 'cannot tell the name servers, the last ones stay';
    this.#options.logger[this.#told.isNews(problem) ? 'warn' : 'debug'](fields, message);
    this.problem = problem;
  }
}

type Given = Pick<PolledNameServersOptions, 'everyMillis' | 'clock' | 'logger'>;

/** The answer of an HTTP address server: its first line, `host:port;host:port` (upstream: `TopAddressing`). */
export function addressServer(url: string, given: Given): PolledNameServers {
  const ask = async (signal: AbortSignal): Promise<string> => {
    const body = plainBody(await httpGet(url, {}, MAX_BYTES, signal));
    return /^.*/.exec(body.toString('utf8').trim())?.[0] ?? '';
  };
  return new PolledNameServers({ ...given, name: urlName(url), ask });
}

const readList = (path: string): Promise<Buffer> => readRegularFile(path, MAX_MEBIBYTES);

/** A file with `host:port`, one a line or separated by `;`; what follows a `#` is a comment. */
export function nameServersFile(path: string, given: Given, read = readList): PolledNameServers {
  // A dead file system keeps a thread for each read: one is enough to wait with.
  let reading: Promise<Buffer> | undefined;
  const ask = async (): Promise<string> => {
    reading ??= read(path).finally(() => {
      reading = undefined;
    });
    const bytes = await reading.catch((cause: unknown) => {
      throw new Error(describeFileError(cause), { cause });
    });
    return bytes.toString('utf8').replace(/#.*/g, '');
  };
  return new PolledNameServers({ ...given, name: path, ask });
}

/**
 * The URL that Apache's programs ask: `http://DOMAIN:8080/rocketmq/SUBGROUP`, without `:8080` where the domain has a port; a URL stays
 * as it is.
 */
export function addressServerUrl(domain: string, subGroup = 'nsaddr'): string {
  if (/^https?:\/\//i.test(domain)) return domain;
  return `http://${domain}${/:\d+$/.test(domain) ? '' : ':8080'}/rocketmq/${subGroup}`;
}
