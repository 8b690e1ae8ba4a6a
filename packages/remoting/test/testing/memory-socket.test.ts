import { once } from 'node:events';
import { expect } from 'chai';
import { createMemorySockets, type MemorySocket } from '../../src/testing.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function collect(socket: MemorySocket): string[] {
  const log: string[] = [];
  socket.on('data', (chunk) => log.push(String(chunk)));
  socket.on('end', () => log.push('<end>'));
  socket.on('error', (error: NodeJS.ErrnoException) => log.push(`<${error.code}>`));
  socket.on('close', () => log.push('<close>'));
  return log;
}

describe('a pair of memory sockets', () => {
  it('names both ends', () => {
    const [near, far] = createMemorySockets({ localPort: 7, remotePort: 8 });
    expect([near.localPort, near.remotePort, far.localPort, far.remotePort]).to.deep.equal([7, 8, 8, 7]);
    expect([near.localAddress, far.remoteAddress]).to.deep.equal(['memory', 'memory']);
  });

  it('delivers in a later turn, in order, and a gathered write as one chunk', async () => {
    const [near, far] = createMemorySockets();
    const log = collect(far);
    near.write('a');
    near.cork();
    near.write('b');
    near.write('c');
    near.uncork();
    expect(log).to.deep.equal([]);
    while (log.length < 2) await turn();
    expect(log).to.deep.equal(['a', 'bc']);
  });

  it('delivers what was written, though the writer changes its buffer once it was taken', async () => {
    const [near, far] = createMemorySockets();
    const bytes = Buffer.from('abc');
    await new Promise((resolve) => near.write(bytes, resolve));
    bytes.fill('x');
    far.on('data', () => {});
    const [chunk] = (await once(far, 'data')) as [Buffer];
    expect(String(chunk)).to.equal('abc');
  });

  it('makes writes wait for an end that does not read', async () => {
    const [near, far] = createMemorySockets({ highWaterMarkBytes: 10 });
    let written = 0;
    const write = (): void => {
      if (written < 10) near.write('12345', write);
      written++;
    };
    write();
    for (let i = 0; i < 20; i++) await turn();
    expect(written).to.be.below(4);
    far.resume();
    while (written < 10) await turn();
  });

  it('is half closed by end, and closed when both ended', async () => {
    const [near, far] = createMemorySockets();
    const nearLog = collect(near);
    const farLog = collect(far);
    near.end('last');
    while (!farLog.includes('<end>')) await turn();
    far.end('answer');
    while (!nearLog.includes('<close>')) await turn();
    expect([nearLog, farLog]).to.deep.equal([
      ['answer', '<end>', '<close>'],
      ['last', '<end>', '<close>'],
    ]);
  });

  it('resets the other end when it is told to, or destroyed with bytes unread', async () => {
    const [near, far] = createMemorySockets();
    const log = collect(far);
    near.resetAndDestroy();
    while (!log.includes('<close>')) await turn();
    expect(log).to.deep.equal(['<ECONNRESET>', '<close>']);

    const [left, right] = createMemorySockets();
    const rightLog = collect(right);
    right.write('nobody reads this');
    await turn();
    left.destroy();
    while (!rightLog.includes('<close>')) await turn();
    expect(rightLog).to.deep.equal(['<ECONNRESET>', '<close>']);
  });

  it('fails a write to an end that is gone', async () => {
    const [near, far] = createMemorySockets();
    const log = collect(near);
    far.destroy();
    near.write('x', (error) => log.push(String((error as NodeJS.ErrnoException | null)?.code)));
    while (!log.includes('<close>')) await turn();
    expect(log).to.include('EPIPE');
  });
});
