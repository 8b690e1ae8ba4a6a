import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

const MIB = 1024 * 1024;

/** The most that the space for new objects takes, in bytes, while a process then allocates much that survives. */
function youngBytes(...nodeOptions: string[]): number {
  const module = new URL('../src/young-generation.js', import.meta.url).href;
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundYoungGeneration } from '${module}';
    boundYoungGeneration();
    const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
    const survivors = [];
    let most = 0;
    for (let i = 0; i < 1_000_000; i++) {
      survivors.push({ i });
      if (i % 10_000 === 0) most = Math.max(most, youngBytes());
    }
    console.log(most);
    console.error(survivors.length);`;
  const args = [...nodeOptions, '--input-type=module', '--eval', program];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env }));
}

describe('the space for new objects', () => {
  it('stays at two halves of 2 MiB, whatever survives', () => {
    expect(youngBytes()).to.equal(4 * MIB);
  });

  it('is as somebody chose for this process', () => {
    expect(youngBytes('--max-semi-space-size=8')).to.equal(16 * MIB);
  });
});
