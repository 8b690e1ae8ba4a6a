import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';

/** Where the tests are that bear rows; the sources, where titles stand as they were written. */
const places = [
  'packages/namesrv-client/test',
  'packages/namesrv/test',
  'packages/protocol/test',
  'apps/broker-agent/test',
];

/** The rows named in parentheses in the titles of all tests. */
function taggedRows(): Set<string> {
  const rows = new Set<string>();
  for (const place of places)
    for (const name of readdirSync(join(repositoryRoot, place), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.test.ts')) continue;
      const text = readFileSync(join(repositoryRoot, place, name), 'utf8');
      for (const [, list = ''] of text.matchAll(/\((R\d+(?:, R\d+)*)\)/g))
        for (const row of list.split(', ')) rows.add(row);
    }
  return rows;
}

describe('the rows of the reference of broker registration', () => {
  it('each have a test that bears their number', () => {
    const rows = Array.from({ length: 40 }, (_, index) => `R${index + 1}`);
    const tagged = taggedRows();
    expect(rows.filter((row) => !tagged.has(row))).to.deep.equal([]);
    expect([...tagged].filter((row) => !rows.includes(row))).to.deep.equal([]);
  });
});
