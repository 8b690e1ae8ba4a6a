import { RequestCode } from '@rmqns/protocol';
import {
  type Channel,
  type Clock,
  decodeFrame,
  FrameTooLargeError,
  type Logger,
  type RemotingError,
} from '@rmqns/remoting';
import type { RouteInfoManager } from './routeinfo/route-info-manager.js';

/** So often a line is written; a broker tries again every half a minute, and anybody may send such frames. */
const LOG_PERIOD_MILLIS = 1_000;

/** Who sent a frame that was not taken. */
interface Sender {
  readonly brokerName: string;
  readonly brokerAddr: string;
}

/**
 * Tells operators of brokers whose registration does not fit into a frame, and what to do about it: such a broker's connection is closed, and it
 * would be missing with no reason given on either side.
 */
export class OversizedRegistrations {
  readonly #routeInfoManager: RouteInfoManager;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #loggedMillis = -Infinity;

  constructor(routeInfoManager: RouteInfoManager, clock: Clock, logger: Logger) {
    this.#routeInfoManager = routeInfoManager;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** A connection is about to be closed for this error. Only brokers are told of: what others send may be no frame at all. */
  refused(channel: Channel, error: RemotingError): void {
    if (!(error instanceof FrameTooLargeError)) return;
    const sender = registrantOf(error.opening) ?? this.#routeInfoManager.tables.brokerLiveTable.over(channel)[0];
    const nowMillis = this.#clock.monotonic();
    if (sender === undefined || nowMillis - this.#loggedMillis < LOG_PERIOD_MILLIS) return;
    this.#loggedMillis = nowMillis;
    const { brokerName, brokerAddr } = sender;
    const { frameBytes, maxFrameBytes } = error;
    this.#logger.warn(
      { address: channel.remoteAddress, broker: brokerName, addr: brokerAddr, frameBytes, maxFrameBytes },
      `registration of broker ${brokerName} (${brokerAddr}) from ${channel.remoteAddress} refused: its frame has ${frameBytes} bytes, ` +
        `more than the ${maxFrameBytes} that are taken; set compressedRegister=true or enableSplitRegistration=true in the broker, ` +
        'have fewer topics there, or raise maxFrameBytes of the name server',
    );
  }
}

/** The broker that a frame registers, by its header; `undefined` when it is another request, or the header was not all there. */
function registrantOf(opening: Buffer): Sender | undefined {
  if (opening.length < 4) return undefined;
  const headerEnd = 4 + opening.readUIntBE(1, 3);
  if (headerEnd > opening.length) return undefined;
  try {
    const { code, extFields } = decodeFrame(opening.subarray(0, headerEnd));
    const { brokerName, brokerAddr } = extFields ?? {};
    if (code !== RequestCode.REGISTER_BROKER || brokerName === undefined || brokerAddr === undefined) return undefined;
    return { brokerName, brokerAddr };
  } catch {
    return undefined;
  }
}
