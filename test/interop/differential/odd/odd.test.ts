import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apacheVersions, repositoryRoot, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { oddDifferences } from './odd-differences.js';
import { runOdd } from './run-odd.js';

/** The same every time; others are for npm run test:differential -- --odd. */
const SEED = 2;
const COUNT = 500;

describe("requests that no library writes, to Apache's name server and to ours", () => {
  const apache = useApache(...apacheVersions);

  for (const version of apacheVersions) {
    it(`${COUNT} scenarios of them end as with ${version}, but for the rules`, async function () {
      this.timeout(240_000);
      await runOdd(apache, { version, seed: SEED, count: COUNT });
    });
  }

  it('are compared by rules that docs/compatibility.json has', () => {
    const rows = JSON.parse(readFileSync(join(repositoryRoot, 'docs/compatibility.json'), 'utf8')) as { id: string }[];
    expect(rows.map(({ id }) => id)).to.include.members(oddDifferences.map(({ rule }) => rule));
  });
});
