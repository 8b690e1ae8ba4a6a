import { expect } from 'chai';
import { HandedOutRoutes } from '../../src/workers/handed-out-routes.js';
import { type RouteAnswer, RouteCopies } from '../../src/workers/route-copies.js';

const route = (text: string): RouteAnswer => ({ code: 0, remark: undefined, body: Buffer.from(text), mayKeep: true });

/** A question that the test answers. */
function question() {
  let answer: (answer: RouteAnswer) => void = () => {};
  let fail = (): void => {};
  const asked = new Promise<RouteAnswer>((resolve, reject) => {
    answer = resolve;
    fail = () => reject(new Error('the lane broke'));
  });
  return { ask: () => asked, answer: (given: RouteAnswer) => answer(given), fail: () => fail() };
}

const never = (): Promise<RouteAnswer> => {
  throw new Error('asked again');
};

describe('copies of routes', () => {
  it('ask once for many lookups at a time, and keep the answer', async () => {
    const copies = new RouteCopies();
    const first = question();
    const asked = [copies.ask('T', 'standard', first.ask), copies.ask('T', 'standard', never)];
    first.answer(route('r'));
    expect((await Promise.all(asked)).map(({ body }) => body?.toString())).to.deep.equal(['r', 'r']);
    expect(copies.get('T', 'standard')?.toString()).to.equal('r');
    expect(copies.get('T', 'legacy')).to.equal(undefined);
  });

  it('keep no answer that the topic is unknown, and no failure', async () => {
    const copies = new RouteCopies();
    await copies.ask('T', 'legacy', async () => ({ code: 17, remark: 'No topic', body: undefined, mayKeep: false }));
    const failing = question();
    const failed = copies.ask('T', 'legacy', failing.ask).catch((error: Error) => error.message);
    failing.fail();
    expect(await failed).to.equal('the lane broke');
    expect((await copies.ask('T', 'legacy', async () => route('r'))).code).to.equal(0);
    expect(copies.size).to.equal(1);
  });

  it('do not keep an answer that was asked for before the route changed, nor give it to who asks after', async () => {
    const copies = new RouteCopies();
    const before = question();
    const old = copies.ask('T', 'standard', before.ask);
    copies.forget(['T']);
    const after = question();
    const fresh = copies.ask('T', 'standard', after.ask);
    after.answer(route('new'));
    expect((await fresh).body?.toString()).to.equal('new');
    before.answer(route('old'));
    expect((await old).body?.toString()).to.equal('old');
    expect(copies.get('T', 'standard')?.toString()).to.equal('new');
  });

  it('are forgotten when the word of it comes in the same chunk as the answer before it', async () => {
    const copies = new RouteCopies();
    const asked = question();
    const answered = copies.ask('T', 'standard', asked.ask);
    // The promise's jobs run when the whole chunk has been read.
    asked.answer(route('old'));
    copies.forget(['T']);
    await answered;
    expect(copies.size).to.equal(0);
  });

  it('are all forgotten together', async () => {
    const copies = new RouteCopies();
    await copies.ask('A', 'standard', async () => route('a'));
    await copies.ask('B', 'legacy', async () => route('b'));
    copies.forgetAll();
    expect(copies.size).to.equal(0);
  });
});

describe('routes that were handed out', () => {
  it('are taken back from those who have them, once, and from nobody else', async () => {
    const routes = new HandedOutRoutes();
    const told: string[] = [];
    const holder = (name: string) =>
      routes.add(async (topics) => void told.push(`${name}: ${topics === 'all' ? topics : topics.join(' ')}`));
    const first = holder('first');
    const second = holder('second');
    routes.handOut(first, 'A');
    routes.handOut(first, 'B');
    routes.handOut(second, 'B');
    for (const topic of ['A', 'B', 'A', 'C']) routes.invalidate(topic);
    await routes.settled();
    expect(told).to.deep.equal(['first: A B', 'second: B']);
    routes.invalidate('A');
    expect(routes.settled()).to.equal(undefined);
    routes.remove(second);
    routes.invalidateAll();
    await routes.settled();
    expect(told.slice(2)).to.deep.equal(['first: all']);
  });

  it('are taken back without anybody waiting for it, too', async () => {
    const routes = new HandedOutRoutes();
    const told: (readonly string[] | 'all')[] = [];
    const holder = routes.add(async (topics) => void told.push(topics));
    routes.handOut(holder, 'A');
    routes.invalidate('A');
    await Promise.resolve();
    expect(told).to.deep.equal([['A']]);
  });
});
