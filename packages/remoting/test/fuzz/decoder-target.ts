import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { ManualClock } from '../../src/manual-clock.js';
import { chunksOf, type FuzzInput } from './mutations.js';

/** What a decoder made of some bytes, to compare. */
interface Outcome {
  readonly commands: string[];
  readonly errors: string[];
}

/** Why the decoder treats an input wrongly, or undefined. */
export function decoderFault(input: FuzzInput): string | undefined {
  try {
    const whole = decode([input.bytes]);
    const cut = decode(chunksOf(input));
    const singly = input.bytes.length <= 512 ? decode(chunksOf({ ...input, chunkBytes: [1] })) : whole;
    if (JSON.stringify(whole) !== JSON.stringify(cut)) return `in pieces it reads ${show(cut)}, whole ${show(whole)}`;
    if (JSON.stringify(whole) !== JSON.stringify(singly))
      return `byte by byte it reads ${show(singly)}, whole ${show(whole)}`;
    return undefined;
  } catch (error) {
    return `it throws ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function decode(chunks: readonly Buffer[]): Outcome {
  const outcome: Outcome = { commands: [], errors: [] };
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const channel = new EmbeddedChannel({
    decoder: new FrameDecoder({ clock, nextTurn: (task) => turns.push(task) }),
    end: {
      channelRead(_ctx, message) {
        if (!(message instanceof RemotingCommand)) throw new Error('something else than a command was passed on');
        outcome.commands.push(textOf(message));
      },
      exceptionCaught: (_ctx, error) => outcome.errors.push(expected(error)),
    },
  });
  for (const chunk of chunks) {
    // The decoder gets views of memory that is used again, as from a socket that reads into one buffer, only after it is done.
    channel.writeInbound(chunk);
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) turn();
  }
  if (outcome.errors.length > 1) throw new Error(`several errors for one connection: ${outcome.errors.join('; ')}`);
  if (outcome.errors.length === 1 && channel.isActive) throw new Error('the connection of a bad frame stays open');
  channel.destroy();
  channel.checkException();
  if (clock.pendingTimers > 0) throw new Error(`${clock.pendingTimers} timers are left`);
  return outcome;
}

/** A command with all that it holds, lazily read parts too. */
function textOf(command: RemotingCommand): string {
  const { code, language, version, opaque, flag, remark, extFields, body, serializeType } = command;
  const fields = extFields === undefined ? 'none' : Object.entries(extFields);
  const bytes = body === undefined ? 'none' : Buffer.from(body).toString('latin1');
  return JSON.stringify([code, language, version, opaque, flag, remark, fields, bytes, serializeType]);
}

function expected(error: RemotingError): string {
  if (error.code !== 'DECODE_FAILED' && error.code !== 'FRAME_TOO_LARGE') throw error;
  // What the decoder did not foresee becomes a DecodeError as well; the cause tells.
  for (let cause = error.cause; cause !== undefined; cause = cause instanceof Error ? cause.cause : undefined)
    if (!RemotingError.is(cause)) throw cause;
  return `${error.code}: ${error.message}`;
}

function show({ commands, errors }: Outcome): string {
  return `${commands.length} commands and [${errors.join('; ')}]`;
}

/** The input with as many bytes taken out as the fault bears, within a bound of tries. */
export function minimise(input: FuzzInput, isFaulty: (input: FuzzInput) => boolean): FuzzInput {
  let best = input;
  let tries = 0;
  for (let size = Math.ceil(best.bytes.length / 2); size >= 1 && tries < 5_000; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.bytes.length && tries < 5_000; ) {
      const shorter = { ...best, bytes: Buffer.concat([best.bytes.subarray(0, at), best.bytes.subarray(at + size)]) };
      tries++;
      if (isFaulty(shorter)) best = shorter;
      else at += size;
    }
  }
  return best;
}
