import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { expect } from 'chai';
import { favourMainThread } from '../src/helper-threads.js';

/** The niceness of the main thread of a process that is so much nicer than this one, and those of its others. */
function nicenesses(nicer: number): { readonly main: number; readonly others: readonly number[] } {
  const module = new URL('../src/helper-threads.js', import.meta.url).href;
  const program = `
    import { readdirSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    import { favourMainThread } from '${module}';
    setPriority(0, getPriority() + ${nicer});
    favourMainThread();
    const others = readdirSync('/proc/self/task').map(Number).filter((id) => id !== process.pid);
    console.log(JSON.stringify({ main: getPriority(), others: others.map(getPriority) }));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }),
  ) as ReturnType<typeof nicenesses>;
}

describe('threads beside the one that serves', () => {
  if (process.platform === 'linux')
    for (const nicer of [0, 3, 15]) {
      const main = getPriority() + nicer;
      const others = Math.min(main + 10, 19);
      it(`are nicer than it: ${others} where it is ${main}`, () => {
        const found = nicenesses(nicer);
        expect(found.main).to.equal(main);
        expect(found.others.length).to.be.above(3);
        expect(new Set(found.others)).to.deep.equal(new Set([others]));
      });
    }
  else
    it('are left as they are', () => {
      expect(favourMainThread).to.not.throw();
    });
});
