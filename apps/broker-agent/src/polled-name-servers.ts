import { describeFileError } from '@rmqns/program';
import type { Clock, Logger } from '@rmqns/remoting';
import { httpGet, plainBody } from './http-get.js';
import type { NameServerSource } from './name-server-source.js';
import { checkAddresses } from './namesrv-addresses.js';
import { PolledValue } from './polled-value.js';
import { readRegularFile } from './read-regular-file.js';
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
export class PolledNameServers extends PolledValue<readonly string[]> implements NameServerSource {
  constructor(options: PolledNameServersOptions) {
    super({
      ...options,
      ask: async (signal) => listOf(await options.ask(signal)),
      timeoutMillis: TIMEOUT_MILLIS,
      isSame: (before, now) => JSON.stringify([...before].sort()) === JSON.stringify([...now].sort()),
      lines: {
        again: 'name servers are known again',
        none: 'cannot tell the name servers',
        stays: 'cannot tell the name servers, the last ones stay',
        fields: (source, namesrv) => ({ source, namesrv }),
      },
    });
  }
}

function listOf(text: string): readonly string[] {
  const { addresses, problems } = checkAddresses(text.split(/[;,\s]+/).filter((part) => part !== ''));
  if (problems.length > 0) throw new Error(problems.join('; '));
  if (addresses.length === 0) throw new Error('it names no name server');
  return addresses;
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
