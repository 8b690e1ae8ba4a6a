import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { LazyTlsContext } from '../../src/tls/lazy-tls-context.js';
import type { TlsContext } from '../../src/tls/tls-context.js';
import { turn } from './tls-fixture.js';

const stream = (): Duplex => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });

describe('LazyTlsContext', () => {
  it('is made once, when the first connection wants it, and opens those whose peer is still there', async () => {
    let made = 0;
    let give: (context: TlsContext) => void = () => {};
    const lazy = new LazyTlsContext(() => {
      made++;
      return new Promise((resolve) => {
        give = resolve;
      });
    });
    expect(made).to.equal(0);
    const [first, gone] = [stream(), stream()];
    for (const each of [first, gone]) lazy.open(each, undefined, () => expect.fail('nothing came of it'));
    gone.destroy();
    const opened: Duplex[] = [];
    give({ isClient: false, open: (each) => opened.push(each) });
    await turn();
    lazy.open(first, undefined, () => {});
    await turn();
    expect([made, opened]).to.deep.equal([1, [first, first]]);
  });

  it('tells every connection why it cannot be made, also when it throws as it opens', async () => {
    const reasons: (string | undefined)[] = [];
    const tell = (error: Error | undefined): void => void reasons.push(error?.message);
    const none = new LazyTlsContext(() => Promise.reject(new Error('not installed')));
    for (let i = 0; i < 2; i++) none.open(stream(), undefined, tell);
    const broken: TlsContext = {
      isClient: false,
      open: () => {
        throw new Error('no such cipher');
      },
    };
    new LazyTlsContext(async () => broken).open(stream(), undefined, tell);
    await turn();
    expect(reasons.sort()).to.deep.equal(['no such cipher', 'not installed', 'not installed']);
  });
});
