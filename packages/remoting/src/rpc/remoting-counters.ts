import type { Channel } from '../channel/channel.js';
import { DecodeErrorKind, type RemotingError } from '../errors.js';
import { CodeDistribution } from './code-distribution.js';

/** What a client or server has counted since it was made. The numbers only grow; who wants rates reads twice. */
export interface RemotingCounters {
  /** Connections that were set up: dialled by a client, accepted by a server. */
  readonly connects: number;
  /** Dials that came to nothing. */
  readonly connectFailures: number;
  /** Connections that a server closed at once, having as many as `maxConnections`. */
  readonly refusedConnections: number;
  /** Connections that ended. */
  readonly disconnects: number;

  /** Requests that came in, oneway ones included. */
  readonly requestsIn: number;
  /** Those of {@link requestsIn} that want no answer. */
  readonly onewayIn: number;
  /** Answers handed to the connection. */
  readonly responsesOut: number;
  /** Requests refused with SYSTEM_BUSY, and oneway requests dropped for the same reasons. */
  readonly rejected: number;
  /** Requests not carried out because their caller's deadline had passed. */
  readonly expired: number;
  /** Requests answered with GO_AWAY while closing, and oneway requests dropped for it. */
  readonly goAways: number;
  /** SYSTEM_ERROR answers made because a processor, interceptor or hook failed. */
  readonly systemErrors: number;

  /** Requests handed to a connection, oneway ones included. */
  readonly requestsOut: number;
  /** Those of {@link requestsOut} that want no answer. */
  readonly onewayOut: number;
  /** Answers that ended a call, whatever their code. */
  readonly responsesIn: number;
  /** Answers that matched no waiting call: late, or never asked for. */
  readonly lateResponses: number;
  /** Calls that ended without an answer for any reason: {@link timeouts} and {@link tooManyRequests} are among them. */
  readonly failedCalls: number;
  /** Calls that were not answered in time. */
  readonly timeouts: number;
  /** Calls refused for want of a permit. */
  readonly tooManyRequests: number;

  /** Bytes read from connections. */
  readonly bytesIn: number;
  /** Bytes that the operating system has taken. */
  readonly bytesOut: number;
  /** Bytes that were no frame, by what was wrong; but for `truncatedFrame`, each cost a connection. */
  readonly decodeErrors: Readonly<Record<DecodeErrorKind, number>>;
  /** How often requests of each code came in; `others` beyond 1,024 different codes. */
  readonly requestCodes: Readonly<Record<string, number>>;
  /** How often answers with each code were sent. */
  readonly responseCodes: Readonly<Record<string, number>>;
}

/** Where client and server count: plain fields, changed where it happens. */
export class CounterTable {
  connects = 0;
  connectFailures = 0;
  refusedConnections = 0;
  disconnects = 0;
  requestsIn = 0;
  onewayIn = 0;
  responsesOut = 0;
  rejected = 0;
  expired = 0;
  goAways = 0;
  systemErrors = 0;
  requestsOut = 0;
  onewayOut = 0;
  responsesIn = 0;
  lateResponses = 0;
  failedCalls = 0;
  timeouts = 0;
  tooManyRequests = 0;
  readonly requestCodes = new CodeDistribution();
  readonly responseCodes = new CodeDistribution();
  readonly #decodeErrors = Object.fromEntries(Object.values(DecodeErrorKind).map((kind) => [kind, 0])) as Record<
    DecodeErrorKind,
    number
  >;
  /** Connections that stand: each counts its own bytes, and they are added up when asked for. */
  readonly #channels = new Set<Channel>();
  #bytesIn = 0;
  #bytesOut = 0;

  /** A connection was set up; its end is seen here. */
  connected(channel: Channel): void {
    this.connects++;
    this.#channels.add(channel);
    void channel.closed.then(() => this.#disconnected(channel));
  }

  callFailed(error: RemotingError): void {
    this.failedCalls++;
    if (error.code === 'TIMEOUT') this.timeouts++;
    else if (error.code === 'TOO_MANY_REQUESTS') this.tooManyRequests++;
  }

  decodeFailed(kind: DecodeErrorKind): void {
    this.#decodeErrors[kind]++;
  }

  snapshot(): RemotingCounters {
    let bytesIn = this.#bytesIn;
    let bytesOut = this.#bytesOut;
    for (const channel of this.#channels) {
      bytesIn += channel.bytesRead;
      bytesOut += channel.bytesWritten;
    }
    return {
      connects: this.connects,
      connectFailures: this.connectFailures,
      refusedConnections: this.refusedConnections,
      disconnects: this.disconnects,
      requestsIn: this.requestsIn,
      onewayIn: this.onewayIn,
      responsesOut: this.responsesOut,
      rejected: this.rejected,
      expired: this.expired,
      goAways: this.goAways,
      systemErrors: this.systemErrors,
      requestsOut: this.requestsOut,
      onewayOut: this.onewayOut,
      responsesIn: this.responsesIn,
      lateResponses: this.lateResponses,
      failedCalls: this.failedCalls,
      timeouts: this.timeouts,
      tooManyRequests: this.tooManyRequests,
      bytesIn,
      bytesOut,
      decodeErrors: { ...this.#decodeErrors },
      requestCodes: this.requestCodes.snapshot(),
      responseCodes: this.responseCodes.snapshot(),
    };
  }

  #disconnected(channel: Channel): void {
    this.disconnects++;
    this.#channels.delete(channel);
    this.#bytesIn += channel.bytesRead;
    this.#bytesOut += channel.bytesWritten;
  }
}
