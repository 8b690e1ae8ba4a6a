import type { ChannelSocket } from '../channel/socket-channel.js';
import { type Clock, systemClock } from '../clock.js';
import { FrameSplitter } from '../codec/frame-splitter.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { abortable } from '../rpc/abort.js';
import { type FrameField, frameDifferences, read } from './frame-differences.js';
import type { RecordedFrame } from './frame-recorder.js';

export interface ReplayOptions {
  /** How long each answer may take; default 3000. */
  readonly timeoutMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
  /** Fields of answers that may differ from the recorded ones; default none. The opaque is always the recorded one. */
  readonly ignore?: readonly FrameField[] | undefined;
  /** Ends the replay with `ABORTED`, and its connections. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReplayResult {
  /** Requests that were sent, oneway ones included. */
  readonly sent: number;
  /** Answers that came for them. */
  readonly answered: number;
  /** Where the answers differ from the recorded ones, one text each; none when all is as it was. */
  readonly differences: readonly string[];
}

/**
 * Sends what the clients of a recording sent, over as many connections, one request after the other, and compares the answers with those that
 * were recorded. Requests that the server sent, and the clients' answers to them, are left out.
 *
 * @param connect opens a bare connection to the server, for instance `() => pair.connect()`
 */
export function replay(
  frames: readonly RecordedFrame[],
  connect: () => ChannelSocket,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const { signal } = options;
  const run = (): Promise<ReplayResult> => play(frames, connect, options);
  return signal === undefined ? run() : abortable(signal, 'the replay', run);
}

async function play(
  frames: readonly RecordedFrame[],
  connect: () => ChannelSocket,
  options: ReplayOptions,
): Promise<ReplayResult> {
  const peers = new Map<number, Peer>();
  const differences: string[] = [];
  let sent = 0;
  let answered = 0;
  try {
    for (const [index, frame] of frames.entries()) {
      if (options.signal?.aborted === true) break;
      const request = requestOf(frame);
      if (request === undefined) continue;
      const { channelId } = frame;
      let peer = peers.get(channelId);
      if (peer === undefined) {
        peer = new Peer(connect(), options);
        peers.set(channelId, peer);
      }
      peer.send(frame.bytes);
      sent++;
      const golden = frames.find((later, at) => at > index && later.channelId === channelId && answers(later, request));
      if (golden === undefined) continue;
      const answer = await peer.answer(request.opaque);
      const what = `request ${request.code} with opaque ${request.opaque} of connection #${channelId}`;
      if (typeof answer === 'string') differences.push(`${what}: ${answer}`);
      else {
        answered++;
        for (const difference of frameDifferences(answer, commandOf(golden.bytes) ?? golden.bytes, options))
          differences.push(`${what}: ${difference}`);
      }
    }
    for (const [channelId, peer] of peers)
      for (const { opaque } of peer.received)
        differences.push(`opaque ${opaque} of connection #${channelId}: an answer that the recording does not have`);
  } finally {
    for (const peer of peers.values()) peer.destroy();
  }
  return { sent, answered, differences };
}

/** One connection of the replay. */
class Peer {
  /** Answers that nobody waits for. */
  readonly received: RemotingCommand[] = [];
  readonly #socket: ChannelSocket;
  readonly #clock: Clock;
  readonly #timeoutMillis: number;
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #look: () => void = () => {};

  constructor(socket: ChannelSocket, { clock, timeoutMillis, signal }: ReplayOptions) {
    this.#socket = socket;
    this.#clock = clock ?? systemClock;
    this.#timeoutMillis = timeoutMillis ?? 3_000;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
    const splitter = new FrameSplitter(0x7fffffff);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      splitter.push(chunk);
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(frame.length);
        const command = commandOf(Buffer.concat([length, frame]));
        if (command?.isResponse === true) this.received.push(command);
      }
      this.#look();
    });
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#ended = true;
        this.#look();
      });
    }
  }

  readonly #onAbort = (): void => {
    this.#ended = true;
    this.#look();
  };

  send(bytes: Buffer): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  /** The answer to an opaque, or why there is none. */
  async answer(opaque: number): Promise<RemotingCommand | string> {
    let timedOut = false;
    const timer = this.#clock.setTimeout(() => {
      timedOut = true;
      this.#look();
    }, this.#timeoutMillis);
    try {
      return await new Promise((resolve) => {
        this.#look = () => {
          const at = this.received.findIndex((command) => command.opaque === opaque);
          const [answer] = at < 0 ? [] : this.received.splice(at, 1);
          if (answer !== undefined) resolve(answer);
          else if (this.#ended) resolve('no answer, the server closed the connection');
          else if (timedOut) resolve(`no answer within ${this.#timeoutMillis} ms`);
        };
        this.#look();
      });
    } finally {
      timer.cancel();
      this.#look = () => {};
    }
  }

  destroy(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#socket.destroy();
  }
}

function commandOf(bytes: Buffer): RemotingCommand | undefined {
  const command = read(bytes);
  return typeof command === 'string' ? undefined : command;
}

function requestOf({ from, bytes }: RecordedFrame): RemotingCommand | undefined {
  const command = from === 'client' ? commandOf(bytes) : undefined;
  return command?.isResponse === true ? undefined : command;
}

function answers({ from, bytes }: RecordedFrame, request: RemotingCommand): boolean {
  const command = from === 'server' && !request.isOneway ? commandOf(bytes) : undefined;
  return command?.isResponse === true && command.opaque === request.opaque;
}
