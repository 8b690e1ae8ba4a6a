import { RequestCode, ResponseCode } from '@rmqns/protocol';
import {
  type AddressRange,
  type Channel,
  type Clock,
  type Logger,
  parseSocketAddress,
  RemotingCommand,
} from '@rmqns/remoting';

/** By which brokers and their topics come, are heard, and go. */
const REGISTRATION_CODES: ReadonlySet<number> = new Set([
  RequestCode.REGISTER_BROKER,
  RequestCode.UNREGISTER_BROKER,
  RequestCode.REGISTER_TOPIC_IN_NAMESRV,
  RequestCode.QUERY_DATA_VERSION,
  RequestCode.BROKER_HEARTBEAT,
]);

/** A refused peer is named in the log this often; it may try many times a second. */
const LOG_PERIOD_MILLIS = 60_000;
/** Peers that are remembered for it. */
const MAX_REMEMBERED = 1_000;

/** The peers that may register brokers (option `registerAllowCidrs`). */
export class Registrars {
  readonly #allowed: AddressRange | undefined;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** When each refused host was logged, the earliest first. */
  readonly #loggedMillis = new Map<string, number>();

  /** @param allowed `undefined` for everyone */
  constructor(allowed: AddressRange | undefined, clock: Clock, logger: Logger) {
    this.#allowed = allowed;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The answer to a peer that may not send this code, `undefined` to one that may. */
  refuses(code: number, channel: Channel): RemotingCommand | undefined {
    if (this.#allowed === undefined || !REGISTRATION_CODES.has(code)) return undefined;
    const host = hostOf(channel.remoteAddress);
    if (this.#allowed.includes(host)) return undefined;
    const remark = `${host} may not register brokers here, it is not in registerAllowCidrs of the name server`;
    this.#log(host, code, remark);
    return RemotingCommand.response(ResponseCode.NO_PERMISSION, remark);
  }

  #log(host: string, code: number, remark: string): void {
    const nowMillis = this.#clock.monotonic();
    const loggedMillis = this.#loggedMillis.get(host);
    if (loggedMillis !== undefined && nowMillis - loggedMillis < LOG_PERIOD_MILLIS) return;
    this.#loggedMillis.delete(host);
    this.#loggedMillis.set(host, nowMillis);
    if (this.#loggedMillis.size > MAX_REMEMBERED) {
      const [earliest] = this.#loggedMillis.keys();
      if (earliest !== undefined) this.#loggedMillis.delete(earliest);
    }
    this.#logger.warn({ address: host, code }, `request ${code} refused: ${remark}`);
  }
}

/** What is no `host:port`, as of a connection in memory, is in no range either. */
function hostOf(remoteAddress: string): string {
  try {
    return parseSocketAddress(remoteAddress).host;
  } catch {
    return remoteAddress;
  }
}
