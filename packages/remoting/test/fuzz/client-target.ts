import { RemotingClient } from '../../src/client/remoting-client.js';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import type { SeededRandom } from '../../src/testing/seeded-random.js';
import { createMemorySockets, type MemorySocket } from '../../src/testing.js';
import { chunksOf, makeInput } from './mutations.js';

const CALLS = 8;

/**
 * Lets a client call a server that answers some calls rightly, the rest with damaged bytes, and then leaves. Returns why the client treats it
 * wrongly: a call that does not end, or an answer that nobody sent.
 */
export async function clientFault(random: SeededRandom, frames: readonly Buffer[]): Promise<string | undefined> {
  const client = new RemotingClient({
    timeoutMillis: 20_000,
    createConnection() {
      const [near, far] = createMemorySockets();
      far.on('error', () => {});
      answerBadly(far, random, frames);
      return near;
    },
  });
  try {
    const calls = Array.from({ length: CALLS }, (_, n) => call(client, n));
    const faults = await Promise.all(calls);
    return faults.find((fault) => fault !== undefined);
  } finally {
    await client.destroy();
  }
}

async function call(client: RemotingClient, n: number): Promise<string | undefined> {
  try {
    await client.invokeSync('memory:1', RemotingCommand.request(n));
    return undefined;
  } catch (error) {
    if (RemotingError.is(error) && error.code !== 'TIMEOUT') return undefined;
    return `a call ended with ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function answerBadly(socket: MemorySocket, random: SeededRandom, frames: readonly Buffer[]): void {
  const splitter = new FrameSplitter();
  let seen = 0;
  socket.on('data', (chunk: Buffer) => {
    splitter.push(chunk);
    for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
      const answer = RemotingCommand.response(0, undefined, { opaque: decodeFrame(frame).opaque });
      const bytes = Buffer.concat(encodeFrame(answer));
      if (random.chance(0.3)) socket.write(bytes);
      else for (const part of chunksOf(makeInput(random, [bytes, ...frames.slice(0, 3)]))) socket.write(part);
      if (++seen === CALLS) socket.end();
    }
  });
  // A client that has hung up is no longer written to.
  socket.on('end', () => socket.end());
}
