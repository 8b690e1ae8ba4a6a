import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { favourMainThread } from '../src/helper-threads.js';

/** The niceness of the main thread of a process that was started with this one, and those of its others. */
function nicenesses(started: number): { readonly main: number; readonly others: readonly number[] } {
  const module = new URL('../src/helper-threads.js', import.meta.url).href;
  const program = `
    import { readdirSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    import { favourMainThread } from '${module}';
    setPriority(0, ${started});
    favourMainThread();
    const others = readdirSync('/proc/self/task').map(Number).filter((id) => id !== process.pid);
    console.log(JSON.stringify({ main: getPriority(), others: others.map(getPriority) }));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }),
  ) as ReturnType<typeof nicenesses>;
}

describe('threads beside the one that serves', () => {
  if (process.platform === 'linux')
    for (const [started, others] of [
      [0, 10],
      [3, 13],
      [15, 19],
    ] as const) {
      it(`are nicer than it: ${others} where it is ${started}`, () => {
        const found = nicenesses(started);
        expect(found.main).to.equal(started);
        expect(found.others.length).to.be.above(3);
        expect(new Set(found.others)).to.deep.equal(new Set([others]));
      });
    }
  else
    it('are left as they are', () => {
      expect(favourMainThread).to.not.throw();
    });
});
