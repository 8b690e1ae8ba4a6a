import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApacheProcesses, apacheVersions, repositoryRoot, requireInterop } from '@rmqns/test-kit';
import { expect } from 'chai';
import { deliberateDifferences } from './deliberate-differences.js';
import { runDifferential } from './differential.js';

/** Another seed every day, unless one is given; a failure names it. */
const seed = Number(process.env['RMQNS_DIFFERENTIAL_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const STEPS = 2_000;

describe(`random requests to Apache's name server and to ours, seed ${seed}`, () => {
  let apache: ApacheProcesses;

  before(async function () {
    this.timeout(300_000);
    requireInterop(this);
    apache = await ApacheProcesses.create();
    for (const version of apacheVersions) await apache.fetch(version);
  });

  after(async () => {
    await apache?.[Symbol.asyncDispose]();
  });

  for (const version of apacheVersions) {
    it(`${STEPS} get the same answers as from ${version}, but for the rules`, async function () {
      // A failure takes its time to become short.
      this.timeout(480_000);
      await runDifferential(apache, { version, seed, steps: STEPS });
    });
  }

  it('are compared by rules that docs/compatibility.json has', () => {
    const rows = JSON.parse(readFileSync(join(repositoryRoot, 'docs/compatibility.json'), 'utf8')) as { id: string }[];
    const ids = rows.map(({ id }) => id);
    expect(ids).to.include.members(deliberateDifferences.map(({ rule }) => rule));
  });
});
