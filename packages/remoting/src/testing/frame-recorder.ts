import type { Channel } from '../channel/channel.js';
import type { ChannelHandler, WriteListener } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { RemotingClient } from '../client/remoting-client.js';
import { type Clock, systemClock } from '../clock.js';
import { describeFrame } from '../codec/describe-frame.js';
import { withLength } from '../codec/frame-codec.js';
import { FrameSplitter } from '../codec/frame-splitter.js';
import { textOfThrown } from '../errors.js';
import { RemotingServer } from '../server/remoting-server.js';
import type { TestPair } from './test-pair.js';

/** A frame that went over a recorded connection. */
export interface RecordedFrame {
  /** Which connection, by `Channel.id`. */
  readonly channelId: number;
  /** Who sent it. */
  readonly from: 'client' | 'server';
  /** Since the recording began. */
  readonly atMillis: number;
  /** All of it, its four length bytes included. */
  readonly bytes: Buffer;
}

export interface RecordFramesOptions {
  /** Measures the times. Default the machine's. */
  readonly clock?: Clock | undefined;
  /** Which side a `Channel` is at; default `server`. Servers and clients know. */
  readonly side?: 'client' | 'server' | undefined;
}

/** The frames of one or more connections, both ways, in the order in which they passed. */
export interface FrameRecording {
  readonly frames: readonly RecordedFrame[];
  /** Bytes that were no frames, one text each; their direction is not recorded further. */
  readonly problems: readonly string[];
  /** Records no more. */
  stop(): void;
  /** One line for a frame, as `describeFrame` writes it, with its time and sender. */
  toString(): string;
}

const LONGEST = 0x7fffffff + 4;
let recordings = 0;

/**
 * Records what passes over a channel, over all connections of a server or a client, or of a pair (at its server's side). Of a client and a
 * server, connections made from now on are recorded from their first byte, those of a server that stand already from their next frame: begin
 * between frames. What is recorded are the bytes themselves, before they are decoded and after they were encoded.
 */
export function recordFrames(
  target: Channel | RemotingServer | RemotingClient | TestPair,
  options: RecordFramesOptions = {},
): FrameRecording {
  const clock = options.clock ?? systemClock;
  const recording = new Recording(clock);
  if (target instanceof RemotingServer || target instanceof RemotingClient) recording.follow(target);
  else if ('server' in target) recording.follow(target.server);
  else recording.add(target, options.side ?? 'server');
  return recording;
}

class Recording implements FrameRecording {
  readonly frames: RecordedFrame[] = [];
  readonly problems: string[] = [];
  readonly #clock: Clock;
  readonly #began: number;
  readonly #name = `frameRecorder${++recordings}`;
  readonly #channels = new Set<Channel>();
  #unfollow: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  follow(owner: RemotingServer | RemotingClient): void {
    const side = owner instanceof RemotingServer ? 'server' : 'client';
    const onConnect = (channel: Channel): void => this.add(channel, side);
    owner.on('connect', onConnect);
    this.#unfollow = () => owner.off('connect', onConnect);
    if (owner instanceof RemotingServer) for (const channel of owner.channels) this.add(channel, side);
  }

  add(channel: Channel, side: 'client' | 'server'): void {
    const recorder = new FrameRecorder(side, (from, bytes) => {
      if (typeof bytes === 'string') this.problems.push(`#${channel.id} from the ${from}: ${bytes}`);
      else {
        const atMillis = this.#clock.monotonic() - this.#began;
        this.frames.push({ channelId: channel.id, from, atMillis, bytes });
      }
    });
    const { pipeline } = channel;
    if (pipeline.get('frameDecoder') === undefined) pipeline.addFirst(this.#name, recorder);
    else pipeline.addBefore('frameDecoder', this.#name, recorder);
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
  }

  stop(): void {
    this.#unfollow();
    for (const { pipeline } of this.#channels) if (pipeline.get(this.#name) !== undefined) pipeline.remove(this.#name);
    this.#channels.clear();
  }

  toString(): string {
    return this.frames.map((frame) => `${formatRecordedFrame(frame)}\n`).join('');
  }
}

type Note = (from: 'client' | 'server', bytes: Buffer | string) => void;

/** Sits between the socket and the codec, and splits both directions into frames of its own. */
class FrameRecorder implements ChannelHandler {
  readonly passesListenerOn = true;
  readonly #read: (bytes: Uint8Array) => void;
  readonly #written: (bytes: Uint8Array) => void;

  constructor(side: 'client' | 'server', note: Note) {
    const other = side === 'server' ? 'client' : 'server';
    this.#read = splitting((frame) => note(other, frame));
    this.#written = splitting((frame) => note(side, frame));
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (message instanceof Uint8Array) this.#read(message);
    ctx.fireChannelRead(message);
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    const parts: readonly unknown[] = Array.isArray(message) ? message : [message];
    for (const part of parts) if (part instanceof Uint8Array) this.#written(part);
    ctx.write(message, listener);
  }
}

function splitting(note: (frame: Buffer | string) => void): (bytes: Uint8Array) => void {
  const splitter = new FrameSplitter(LONGEST);
  let failed = false;
  return (bytes) => {
    if (failed) return;
    // A copy: the writer may use its memory again.
    splitter.push(Buffer.from(bytes));
    try {
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) note(withLength(frame));
    } catch (error) {
      failed = true;
      note(textOfThrown(error));
    }
  };
}

/** Tests may show everything, so values are there as well. */
const shown = { values: true, bodyBytes: 32 };

/** `   12.3 ms #1 client -> request 105 …`, one line. */
function formatRecordedFrame({ channelId, from, atMillis, bytes }: RecordedFrame): string {
  const arrow = from === 'client' ? 'client ->' : 'server <-';
  return `${atMillis.toFixed(1).padStart(9)} ms #${channelId} ${arrow} ${describeFrame(bytes, shown)}`;
}
