import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

describe('the hello example', () => {
  it('greets, and ends by itself', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { timeout: 8_000 });
    expect([stdout, stderr]).to.deep.equal(['hello Ada hello Ada\n', '']);
  });
});
