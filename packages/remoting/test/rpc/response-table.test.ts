import { expect } from 'chai';
import fc from 'fast-check';
import type { Channel } from '../../src/channel/channel.js';
import { OpaqueGenerator } from '../../src/command/opaque-generator.js';
import type { ResponseFuture } from '../../src/rpc/response-future.js';
import { ResponseTable } from '../../src/rpc/response-table.js';

// The table looks into neither.
const channel = (): Channel => ({}) as Channel;
const call = (): ResponseFuture => ({}) as ResponseFuture;

describe('ResponseTable', () => {
  it('gives a call to the peer that was asked, and to no other', () => {
    const table = new ResponseTable();
    const [asked, other] = [channel(), channel()];
    const waiting = call();

    const opaque = table.put(asked, waiting);

    expect([table.get(asked, opaque), table.get(other, opaque)]).to.deep.equal([waiting, undefined]);
    table.remove(other, opaque);
    expect(table.size).to.equal(1);
    table.remove(asked, opaque);
    table.remove(asked, opaque);
    expect([table.size, table.get(asked, opaque)]).to.deep.equal([0, undefined]);
  });

  it('goes on with its ids from 2^31-1 to -2^31, and skips those of calls that still wait (W8)', () => {
    const first = 2 ** 31 - 2;
    const begin = new ResponseTable(new OpaqueGenerator(first));
    const asked = channel();
    const waiting = Array.from({ length: 4 }, () => call());
    const opaques = waiting.map((each) => begin.put(asked, each));
    expect(opaques).to.deep.equal([first, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) + 1]);
    expect(opaques.map((opaque) => begin.get(asked, opaque))).to.deep.equal(waiting);
    // All 2^32 have been given since, as far as the generator knows.
    const given = [7, 7, 7, 8, 9];
    const wrapped = new ResponseTable({ next: () => given.shift() as number } as OpaqueGenerator);
    const old = call();
    expect([wrapped.put(asked, old), wrapped.put(asked, call()), wrapped.nextOpaque()]).to.deep.equal([7, 8, 9]);
    expect(wrapped.get(asked, 7)).to.equal(old);
  });

  it('fails what waits on one connection, though failing removes it', () => {
    const table = new ResponseTable();
    const [closed, open] = [channel(), channel()];
    const opaques = new Map<ResponseFuture, number>();
    for (let i = 0; i < 300; i++) {
      const waiting = call();
      opaques.set(waiting, table.put(i % 3 === 0 ? open : closed, waiting));
    }

    const failed = new Set<ResponseFuture>();
    table.failAll(closed, (future) => {
      failed.add(future);
      table.remove(closed, opaques.get(future) as number);
    });

    expect([failed.size, table.size, table.waitingOn(open), table.waitingOn(closed)]).to.deep.equal([200, 100, 100, 0]);
  });

  it('is a map, whatever comes and goes, and however many opaques share a slot', () => {
    const channels = [channel(), channel(), channel()];
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), on: fc.nat(2) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('skip' as const), opaques: fc.nat(200) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('burst' as const), calls: fc.nat(150) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('drain' as const) }) },
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const table = new ResponseTable(new OpaqueGenerator());
        const model = new Map<number, { on: Channel; future: ResponseFuture }>();
        const put = (on: Channel): void => {
          const future = call();
          const opaque = table.put(on, future);
          expect(model.has(opaque)).to.equal(false);
          model.set(opaque, { on, future });
        };
        const remove = (opaque: number): void => {
          table.remove((model.get(opaque) as { on: Channel }).on, opaque);
          model.delete(opaque);
        };
        for (const step of all) {
          if (step.kind === 'put') put(channels[step.on] as Channel);
          else if (step.kind === 'burst') for (let i = 0; i < step.calls; i++) put(channels[i % 3] as Channel);
          else if (step.kind === 'skip') for (let i = 0; i < step.opaques; i++) table.nextOpaque();
          else if (step.kind === 'drain') for (const opaque of [...model.keys()]) remove(opaque);
          else if (model.size > 0) remove([...model.keys()][step.which % model.size] as number);
          expect(table.size).to.equal(model.size);
          for (const [opaque, { on, future }] of model) expect(table.get(on, opaque) === future).to.equal(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
