import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apacheVersions, repositoryRoot, useApache } from '@rmqns/test-kit';
import { expect } from 'chai';
import { deliberateDifferences } from './deliberate-differences.js';
import { runDifferential } from './differential.js';

/** The same ones every time: no change is to fail for what it has not done. New ones are for npm run test:differential. */
const SEEDS = [1, 5, 11];
const STEPS = 2_000;

describe("random requests to Apache's name server and to ours", () => {
  const apache = useApache(...apacheVersions);

  for (const version of apacheVersions) {
    for (const seed of SEEDS) {
      it(`${STEPS} of seed ${seed} get the same answers as from ${version}, but for the rules`, async function () {
        // A failure takes its time to become short.
        this.timeout(480_000);
        await runDifferential(apache, { version, seed, steps: STEPS });
      });
    }
  }

  it('are compared by rules that docs/compatibility.json has', () => {
    const rows = JSON.parse(readFileSync(join(repositoryRoot, 'docs/compatibility.json'), 'utf8')) as { id: string }[];
    const ids = rows.map(({ id }) => id);
    expect(ids).to.include.members(deliberateDifferences.map(({ rule }) => rule));
  });
});
