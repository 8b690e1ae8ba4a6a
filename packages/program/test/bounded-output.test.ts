import { expect } from 'chai';
import { BoundedOutput } from '../src/bounded-output.js';

/** A reader that takes a chunk when told. */
class ManualReader {
  readonly taken: string[] = [];
  #pending: (() => void) | undefined;

  readonly writeChunk = (chunk: Buffer, done: (error?: Error | null) => void): void => {
    this.#pending = () => done(this.#fail(chunk));
  };
  failure: NodeJS.ErrnoException | undefined;

  take(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.();
  }

  takeAll(): void {
    while (this.#pending !== undefined) this.take();
  }

  get isOffered(): boolean {
    return this.#pending !== undefined;
  }

  #fail(chunk: Buffer): Error | null {
    if (this.failure !== undefined) return this.failure;
    this.taken.push(chunk.toString());
    return null;
  }
}

describe('BoundedOutput', () => {
  let reader: ManualReader;
  const dropped: number[] = [];
  const open = (maxWaiting: number): BoundedOutput => {
    const output: BoundedOutput = new BoundedOutput(reader.writeChunk, {
      maxWaiting,
      onDropped: (lines) => {
        dropped.push(lines);
        output.write(`lost ${lines}\n`);
      },
    });
    return output;
  };
  beforeEach(() => {
    reader = new ManualReader();
    dropped.length = 0;
  });

  it('writes the first line at once, and together what came meanwhile', () => {
    const output = open(1_000);
    for (const line of ['a\n', 'b\n', 'c\n']) output.write(line);
    reader.takeAll();
    expect(reader.taken).to.deep.equal(['a\n', 'b\nc\n']);
  });

  it('splits what waits into chunks of about 64 Ki, never within a line', () => {
    const output = open(1_000_000);
    const line = `${'x'.repeat(40_000)}\n`;
    for (let i = 0; i < 6; i++) output.write(line);
    reader.takeAll();
    expect(reader.taken.map((chunk) => chunk.length / line.length)).to.deep.equal([1, 2, 2, 1]);
  });

  it('drops lines beyond the bound, and says once how many, where the gap is', () => {
    const output = open(20);
    for (let i = 0; i < 8; i++) output.write(`${i}234\n`);
    reader.take();
    expect(dropped, 'more than half still waits').to.deep.equal([]);
    output.write('dropped as well\n');
    reader.take();
    output.write('after\n');
    reader.takeAll();
    expect(dropped).to.deep.equal([5]);
    expect(reader.taken.join('')).to.equal('0234\n1234\n2234\n3234\nlost 5\nafter\n');
  });

  it('counts what could not be written as dropped, and says so when writing works again', () => {
    const output = open(1_000);
    reader.failure = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    output.write('a\n');
    output.write('b\n');
    output.write('c\n');
    reader.takeAll();
    reader.failure = undefined;
    output.write('d\n');
    reader.takeAll();
    expect(reader.taken).to.deep.equal(['d\n', 'lost 3\n']);
  });

  it('writes nothing more once the reader is gone', async () => {
    const output = open(1_000);
    reader.failure = Object.assign(new Error('gone'), { code: 'EPIPE' });
    output.write('a\n');
    output.write('b\n');
    reader.take();
    output.write('c\n');
    expect(reader.isOffered).to.equal(false);
    await output.end(1_000_000);
  });

  it('ends when all is written', async () => {
    const output = open(1_000);
    output.write('a\n');
    output.write('b\n');
    let isEnded = false;
    const ended = output.end(1_000_000).then(() => {
      isEnded = true;
    });
    reader.take();
    await Promise.resolve();
    expect(isEnded).to.equal(false);
    reader.take();
    await ended;
    expect(reader.taken).to.deep.equal(['a\n', 'b\n']);
  });

  it('ends for each who asked when all is written', async () => {
    const output = open(1_000);
    output.write('a\n');
    const ended = Promise.all([output.end(1_000_000), output.end(1_000_000)]);
    reader.take();
    await ended;
    expect(reader.taken).to.deep.equal(['a\n']);
  });

  it('ends when the time is over although nobody reads', async () => {
    const output = open(1_000);
    output.write('a\n');
    await output.end(1);
    expect(reader.taken).to.deep.equal([]);
  });
});
