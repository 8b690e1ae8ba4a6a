import { expect } from 'chai';
import fc from 'fast-check';
import type { ChannelPipeline } from '../../src/channel/channel-pipeline.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';

const actions = [
  'removeSelf',
  'removePrevious',
  'removeNext',
  'replaceSelf',
  'addBefore',
  'addAfter',
  'addFirst',
  'addLast',
] as const;
type Action = (typeof actions)[number];

/** Places in order; one whose handler left stays behind as a mark, from which an event looks on for the next that is there. */
class Model {
  readonly places: { readonly name: string; removed: boolean }[] = [];

  live(): string[] {
    return this.places.filter((place) => !place.removed).map((place) => place.name);
  }

  /** New places go right before the next live one, behind the marks. */
  insertAfter(name: string | undefined, added: string): void {
    let at = name === undefined ? 0 : this.places.findIndex((place) => place.name === name) + 1;
    while (this.places[at]?.removed === true) at++;
    this.places.splice(at, 0, { name: added, removed: false });
  }

  remove(name: string): void {
    const place = this.places.find((candidate) => candidate.name === name);
    if (place !== undefined) place.removed = true;
  }

  next(name: string | undefined): string | undefined {
    const from = name === undefined ? 0 : this.places.findIndex((place) => place.name === name) + 1;
    return this.places.slice(from).find((place) => !place.removed)?.name;
  }

  apply(action: Action, self: string, added: string): void {
    const live = this.live();
    const at = live.indexOf(self);
    const previous = live[at - 1];
    const next = live[at + 1];
    if (action === 'addFirst') this.insertAfter(undefined, added);
    else if (action === 'addLast') this.insertAfter(live.at(-1), added);
    else if (at < 0) return;
    else if (action === 'removeSelf') this.remove(self);
    else if (action === 'removePrevious' && previous !== undefined) this.remove(previous);
    else if (action === 'removeNext' && next !== undefined) this.remove(next);
    else if (action === 'addAfter') this.insertAfter(self, added);
    else if (action === 'addBefore') this.insertAfter(previous, added);
    else if (action === 'replaceSelf') {
      this.insertAfter(self, added);
      this.remove(self);
    }
  }
}

/** Does to the real pipeline what {@link Model.apply} does to the model. */
function apply(pipeline: ChannelPipeline, action: Action, self: string, added: string, make: (name: string) => void) {
  const names = pipeline.names();
  const at = names.indexOf(self);
  const previous = names[at - 1];
  const next = names[at + 1];
  const handler = recorder(make);
  if (action === 'addFirst') pipeline.addFirst(added, handler);
  else if (action === 'addLast') pipeline.addLast(added, handler);
  else if (at < 0) return;
  else if (action === 'removeSelf') pipeline.remove(self);
  else if (action === 'removePrevious' && previous !== undefined) pipeline.remove(previous);
  else if (action === 'removeNext' && next !== undefined) pipeline.remove(next);
  else if (action === 'addAfter') pipeline.addAfter(self, added, handler);
  else if (action === 'addBefore') pipeline.addBefore(self, added, handler);
  else if (action === 'replaceSelf') pipeline.replace(self, added, handler);
}

type Recorder = Parameters<ChannelPipeline['addLast']>[1];

function recorder(visit: (name: string) => void): Recorder {
  return {
    channelRead(ctx, message) {
      visit(ctx.name);
      ctx.fireChannelRead(message);
    },
  };
}

describe('changes of a pipeline while an event is under way', () => {
  const scripts = fc.array(fc.array(fc.constantFrom(...actions), { maxLength: 3 }), { minLength: 1, maxLength: 6 });

  it('visits each handler that stands ahead of the event at that moment, once and in order', () => {
    fc.assert(
      fc.property(scripts, (perHandler) => {
        const scriptOf = new Map(perHandler.map((script, index) => [`h${index}`, script]));

        const model = new Model();
        for (const name of scriptOf.keys()) model.places.push({ name, removed: false });
        const expected: string[] = [];
        let added = 0;
        for (let at = model.next(undefined); at !== undefined; at = model.next(at)) {
          expected.push(at);
          for (const action of scriptOf.get(at) ?? []) model.apply(action, at, `n${added++}`);
        }

        const visited: string[] = [];
        added = 0;
        const channel = new EmbeddedChannel();
        const visit = (name: string): void => {
          visited.push(name);
          for (const action of scriptOf.get(name) ?? []) apply(channel.pipeline, action, name, `n${added++}`, visit);
        };
        for (const name of scriptOf.keys()) channel.pipeline.addLast(name, recorder(visit));
        channel.writeInbound('message');

        expect(visited).to.deep.equal(expected);
        expect(channel.pipeline.names()).to.deep.equal(model.live());
        expect(channel.readInbound()).to.equal('message');
      }),
      { numRuns: 500 },
    );
  });

  it('sends an outbound event of a removed context on from where it stood', () => {
    const log: string[] = [];
    const named = (name: string): Recorder => ({
      write(ctx, message, listener) {
        log.push(name);
        ctx.write(message, listener);
      },
    });
    const channel = new EmbeddedChannel({ a: named('a'), b: named('b'), c: named('c') });
    const b = channel.pipeline.context('b');
    channel.pipeline.remove('b');
    channel.pipeline.remove('a');
    channel.pipeline.addFirst('x', named('x'));
    b?.writeAndFlush('out');
    expect(log).to.deep.equal(['x']);
    expect(channel.readOutbound()).to.equal('out');
  });
});
