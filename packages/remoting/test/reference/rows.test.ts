import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Sources, where titles stand as they were written. */
const tests = fileURLToPath(new URL('../../../test/', import.meta.url));

/** Rows of the reference (remoting 9) that no test can have here, and why. */
const notOurs: Readonly<Record<string, string>> = {
  A6: 'header types are schemas: there is no class that could not be instantiated',
  A7: 'no answer is half made: a typed handler that says nothing answers SUCCESS, a processor that gives nothing is silent',
  A18: 'a call without a callback takes no permit',
  A21: 'callbacks run in the turn that ends the call; there is no executor to set',
  A28: 'a callback gets an answer or the error that ended the call; there is no third',
  A43: 'Node has no system properties; options are arguments, checked by the tests of the options',
};

/** The rows named in parentheses in the titles of all tests. */
function taggedRows(): Set<string> {
  const rows = new Set<string>();
  for (const name of readdirSync(tests, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    for (const [, list = ''] of readFileSync(join(tests, name), 'utf8').matchAll(/\(([AB]\d+(?:, [AB]\d+)*)\)/g))
      for (const row of list.split(', ')) rows.add(row);
  }
  return rows;
}

describe('the rows of the reference', () => {
  it('each have a test that bears their number, or a reason why not', () => {
    const rows = [
      ...Array.from({ length: 45 }, (_, index) => `A${index + 1}`),
      ...Array.from({ length: 23 }, (_, index) => `B${index + 1}`),
    ];
    const tagged = taggedRows();
    expect(rows.filter((row) => !tagged.has(row) && notOurs[row] === undefined)).to.deep.equal([]);
    expect([...tagged, ...Object.keys(notOurs)].filter((row) => !rows.includes(row))).to.deep.equal([]);
  });
});
