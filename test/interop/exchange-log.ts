import { decodeWireFrame, splitFrames, type WireFrame } from '@rmqns/test-kit';

const RESPONSE_FLAG = 1;

/** A request of a client, and its answer once that has come. */
export interface LoggedExchange {
  readonly request: WireFrame;
  response?: WireFrame;
}

/** Reads frames out of the bytes that a relay passes on, and puts requests and answers together. */
export class ExchangeLog {
  /** In the order of the requests. */
  readonly exchanges: LoggedExchange[] = [];
  readonly #unanswered = new Map<string, LoggedExchange>();
  readonly #rests = new Map<string, Buffer>();

  /** For `onData` of a relay. */
  readonly add = (chunk: Buffer, from: 'client' | 'server', connection: number): void => {
    const side = `${connection} ${from}`;
    const { frames, rest } = splitFrames(Buffer.concat([this.#rests.get(side) ?? Buffer.alloc(0), chunk]));
    this.#rests.set(side, rest);
    for (const bytes of frames) {
      const frame = decodeWireFrame(bytes);
      const id = `${connection} ${frame.header.opaque}`;
      if ((frame.header.flag & RESPONSE_FLAG) === 0) {
        const exchange = { request: frame };
        this.exchanges.push(exchange);
        this.#unanswered.set(id, exchange);
      } else {
        const exchange = this.#unanswered.get(id);
        if (exchange !== undefined) exchange.response = frame;
      }
    }
  };
}
