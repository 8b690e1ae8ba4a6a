import { expect } from 'chai';
import fc from 'fast-check';
import type { WriteListener } from '../../src/channel/channel-handler.js';
import { OutboundBuffer } from '../../src/channel/outbound-buffer.js';
import { WriteBufferWaterMark } from '../../src/channel/write-buffer-water-mark.js';
import { RemotingError } from '../../src/errors.js';

describe('WriteBufferWaterMark', () => {
  it('is 32 KiB and 64 KiB by default', () => {
    expect({ ...new WriteBufferWaterMark() }).to.deep.equal({ lowBytes: 32768, highBytes: 65536 });
  });

  it('may be one and the same, but not upside down, zero or no integer', () => {
    expect({ ...new WriteBufferWaterMark({ lowBytes: 5, highBytes: 5 }) }).to.deep.equal({ lowBytes: 5, highBytes: 5 });
    for (const options of [
      { lowBytes: 6, highBytes: 5 },
      { lowBytes: 0, highBytes: 5 },
      { lowBytes: 1.5 },
      { highBytes: Number.NaN },
      { highBytes: 1024 },
    ]) {
      expect(() => new WriteBufferWaterMark(options))
        .to.throw(RemotingError)
        .with.property('code', 'INVALID_ARGUMENT');
    }
  });
});

function takeAllDue(buffer: OutboundBuffer<unknown>): WriteListener[] {
  return Array.from({ length: buffer.dueCount }, () => buffer.takeDue() as WriteListener);
}

describe('OutboundBuffer', () => {
  const mark = new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 });

  it('stops being writable above the high mark and is writable again below the low one only', () => {
    const buffer = new OutboundBuffer<string>(mark);
    const states: boolean[] = [];
    const note = (): number => states.push(buffer.isWritable);
    buffer.add('a', 20);
    note();
    buffer.add('b', 1);
    note();
    buffer.flush();
    buffer.take();
    buffer.drain(11);
    note();
    buffer.drain(1);
    note();
    expect(states).to.deep.equal([true, false, false, true]);
    expect([buffer.pendingBytes, buffer.drainedBytes]).to.deep.equal([9, 12]);
  });

  it('gives out what was flushed, and listeners when their bytes are gone', () => {
    const buffer = new OutboundBuffer<string>(mark);
    const [a, b, c]: WriteListener[] = [() => {}, () => {}, () => {}];
    buffer.add('a', 2);
    buffer.listen(a as WriteListener);
    buffer.add('b', 0);
    buffer.listen(b as WriteListener);
    buffer.flush();
    buffer.add('c', 2);
    buffer.listen(c as WriteListener);

    expect(buffer.take()).to.equal('a');
    buffer.drain(2);
    expect(takeAllDue(buffer)).to.deep.equal([a]);
    expect([buffer.take(), buffer.take()]).to.deep.equal(['b', undefined]);
    expect(buffer.isDrained).to.equal(false);
    expect(takeAllDue(buffer)).to.deep.equal([b]);
    expect(buffer.isDrained).to.equal(true);
    expect(buffer.dropUnflushed()).to.deep.equal([c]);
    expect(buffer.pendingBytes).to.equal(0);
  });

  it('keeps order, counts and each listener through any sequence of steps', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), bytes: fc.nat(9), listen: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const buffer = new OutboundBuffer<{ id: number; bytes: number }>(mark);
        const taken: number[] = [];
        const told: number[] = [];
        const listening: number[] = [];
        let id = 0;
        let flushed = 0;
        let pending = 0;
        for (const action of steps) {
          if (action.do === 'add') {
            const own = id++;
            buffer.add({ id: own, bytes: action.bytes }, action.bytes);
            pending += action.bytes;
            if (action.listen) {
              listening.push(own);
              buffer.listen(() => told.push(own));
            }
          } else if (action.do === 'flush') {
            buffer.flush();
            flushed = id;
          } else {
            const message = buffer.take();
            expect(message?.id).to.equal(taken.length < flushed ? taken.length : undefined);
            if (message !== undefined) {
              taken.push(message.id);
              buffer.drain(message.bytes);
              pending -= message.bytes;
            }
            expect(buffer.isDue).to.equal(buffer.dueCount > 0);
            for (const listener of takeAllDue(buffer)) listener(undefined);
            expect(buffer.isDue).to.equal(false);
            expect(told).to.deep.equal(listening.filter((own) => own < taken.length));
          }
          expect(buffer.pendingBytes).to.equal(pending);
          if (pending > 20) expect(buffer.isWritable).to.equal(false);
          if (pending < 10) expect(buffer.isWritable).to.equal(true);
        }
        for (const listener of buffer.dropAll()) listener(undefined);
        expect(told).to.deep.equal(listening);
        expect([buffer.pendingBytes, buffer.take()]).to.deep.equal([0, undefined]);
      }),
    );
  });

  it('lets go of what left although it never runs empty', () => {
    const buffer = new OutboundBuffer<number>(mark);
    const told: number[] = [];
    const add = (i: number): void => {
      buffer.add(i, 1);
      buffer.listen(() => told.push(i));
    };
    for (let i = 0; i < 10; i++) add(i);
    for (let i = 10; i < 10_000; i++) {
      add(i);
      buffer.flush();
      expect(buffer.take()).to.equal(i - 10);
      buffer.drain(1);
      for (const listener of takeAllDue(buffer)) listener(undefined);
      expect(told).to.have.length(i - 9);
    }
    expect(buffer.pendingBytes).to.equal(10);
    expect(buffer.dropAll()).to.have.length(10);
    expect(told).to.deep.equal(Array.from({ length: 9990 }, (_, i) => i));
  });
});
