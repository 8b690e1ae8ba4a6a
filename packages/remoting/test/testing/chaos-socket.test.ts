import { expect } from 'chai';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import {
  type ChaosOptions,
  type ChaosSocket,
  chaos,
  createMemorySockets,
  createPair,
  ManualClock,
} from '../../src/testing.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function turns(count = 30): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

interface Line {
  readonly near: ChaosSocket;
  readonly far: ChannelSocket;
  /** What each end received, chunk by chunk, and how it ended. */
  readonly atNear: string[];
  readonly atFar: string[];
}

function line(options: ChaosOptions): Line {
  const [inner, far] = createMemorySockets();
  const near = chaos(inner, options);
  return { near, far, atNear: log(near), atFar: log(far) };
}

function log(socket: ChannelSocket): string[] {
  const entries: string[] = [];
  socket.on('data', (chunk) => entries.push(String(chunk)));
  socket.on('end', () => entries.push('<end>'));
  socket.on('error', (error: NodeJS.ErrnoException) => entries.push(`<${error.code}>`));
  return entries;
}

describe('chaos', () => {
  it('changes nothing without options', async () => {
    const { near, far, atNear, atFar } = line({});
    near.write('to far');
    far.write('to near');
    near.end();
    far.end();
    await turns();
    expect([atNear, atFar]).to.deep.equal([
      ['to near', '<end>'],
      ['to far', '<end>'],
    ]);
    expect([near.remoteAddress, near.remotePort, near.localPort]).to.deep.equal(['memory', 1, 2]);
  });

  it('delays each piece by the clock', async () => {
    const clock = new ManualClock();
    const { near, far, atNear, atFar } = line({ clock, delayMillis: 10 });
    near.write('a');
    far.write('b');
    await turns();
    clock.advance(9);
    await turns();
    expect([...atNear, ...atFar]).to.deep.equal([]);
    clock.advance(1);
    await turns();
    expect([atNear, atFar]).to.deep.equal([['b'], ['a']]);
    near.write('c');
    near.destroy();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('splits into pieces of random lengths, the same for the same seed', async () => {
    const split = async (seed: number): Promise<string[]> => {
      const { near, atFar } = line({ seed, splitBytes: 3 });
      near.write('abcdefghijklmnop');
      await turns();
      expect(near.seed).to.equal(seed);
      return atFar;
    };
    const once = await split(5);
    expect(once.join('')).to.equal('abcdefghijklmnop');
    expect(once.length).to.be.above(5);
    expect(await split(5)).to.deep.equal(once);
    expect(await split(6)).not.to.deep.equal(once);
  });

  it('coalesces what comes within a time', async () => {
    const clock = new ManualClock();
    const { near, far, atNear } = line({ clock, coalesceMillis: 5 });
    for (const part of ['a', 'b', 'c']) {
      far.write(part);
      await turn();
    }
    await clock.advanceAsync(20, 5);
    await turns();
    expect(atNear.join('')).to.equal('abc');
    near.destroy();
  });

  it('drops pieces, and corrupts single bits', async () => {
    const dropped = line({ dropRate: 1 });
    dropped.near.write('gone');
    await turns();
    expect(dropped.atFar).to.deep.equal([]);

    const { near, far } = line({ corruptRate: 1 });
    const seen: Buffer[] = [];
    far.on('data', (chunk: Buffer) => seen.push(chunk));
    near.write(Buffer.alloc(8));
    await turns();
    const bits = [...Buffer.concat(seen)].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    expect(bits).to.equal(1);
  });

  it('resets both ends after a number of bytes, in the middle of a piece, or by chance, or when told', async () => {
    const { near, atNear, atFar } = line({ resetAfterBytes: 3 });
    near.write('abcdef');
    await turns();
    expect(atNear).to.deep.equal(['<ECONNRESET>']);
    expect(atFar.at(-1)).to.equal('<ECONNRESET>');

    const byChance = line({ resetRate: 1 });
    byChance.far.write('x');
    await turns();
    expect([byChance.atNear, byChance.atFar]).to.deep.equal([['<ECONNRESET>'], ['<ECONNRESET>']]);

    const told = line({});
    told.near.reset();
    await turns();
    expect([told.atNear, told.atFar]).to.deep.equal([['<ECONNRESET>'], ['<ECONNRESET>']]);
  });

  it('freezes when told or after a number of bytes, and thaws without a loss', async () => {
    const { near, far, atNear, atFar } = line({ freezeAfterBytes: 2 });
    near.write('abcd');
    far.write('efgh');
    await turns();
    expect(near.isFrozen).to.equal(true);
    expect(atNear.join('').length + atFar.join('').length).to.be.at.most(3);
    near.thaw();
    await turns();
    expect([atNear.join(''), atFar.join('')]).to.deep.equal(['efgh', 'abcd']);
    near.freeze();
    far.end('i');
    await turns();
    expect(atNear.join('')).to.equal('efgh');
    near.thaw();
    await turns();
    expect(atNear.join('')).to.equal('efghi<end>');
  });

  it('lets a reset of the other side be seen only after a thaw', async () => {
    const [inner, far] = createMemorySockets();
    const near = chaos(inner);
    const atNear = log(near);
    near.freeze();
    far.resetAndDestroy();
    await turns();
    expect(atNear).to.deep.equal([]);
    near.thaw();
    await turns();
    expect(atNear).to.deep.equal(['<ECONNRESET>']);
  });

  it('makes a sender wait for a reader that stopped', async () => {
    const [inner, far] = createMemorySockets({ highWaterMarkBytes: 1024 });
    const near = chaos(inner);
    let sent = 0;
    const send = (): void => {
      sent++;
      if (sent < 1000) far.write(Buffer.alloc(1024), send);
    };
    send();
    await turns(200);
    expect(sent).to.be.below(200);
    near.resume();
    while (sent < 1000) await turn();
  });

  it('changes no answer of a service by delays and cuts, and fails calls in time when the line is frozen', async () => {
    const clock = new ManualClock();
    const lines: ChaosSocket[] = [];
    await using pair = createPair({
      clock,
      wrapSocket(socket) {
        const wild = chaos(socket, { seed: 3, clock, splitBytes: 5, delayMillis: [0, 1] });
        lines.push(wild);
        return wild;
      },
    });
    pair.server.registerProcessor(1, {
      processRequest: (_ctx, { body }) => RemotingCommand.response(0, undefined, { body }),
    });
    let answered = 0;
    const calls = Array.from({ length: 10 }, async (_, n) => {
      const answer = await pair.client.invokeSync(
        pair.address,
        RemotingCommand.request(1, { body: Buffer.from([n]) }),
        60_000,
      );
      answered++;
      return answer.body?.[0];
    });
    while (answered < calls.length) await clock.advanceAsync(1);
    expect(await Promise.all(calls)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

    lines[0]?.freeze();
    const failed = pair.client.invokeSync(pair.address, RemotingCommand.request(1), 2_000).catch((error) => error.code);
    await clock.advanceAsync(2_000, 500);
    expect(await failed).to.equal('TIMEOUT');
  });
});
