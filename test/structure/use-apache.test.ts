import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';

const suite = 'test/dist/interop/workers.test.js';

/** What mocha says of a suite of Apache's programs, and its exit code, where no program is on the PATH. */
async function runWithoutJava(environment: Readonly<Record<string, string>>): Promise<[string, number | null]> {
  await using empty = await TemporaryDirectory.create();
  const mocha = join(repositoryRoot, 'node_modules/mocha/bin/mocha.js');
  const { stdout, status } = spawnSync(process.execPath, [mocha, '--no-config', suite], {
    cwd: repositoryRoot,
    env: { PATH: empty.path, ...environment },
    encoding: 'utf8',
  });
  return [stdout, status];
}

describe("a suite that runs Apache's programs, on a machine without Java", () => {
  it('is skipped, and says why', async () => {
    const [output, code] = await runWithoutJava({});
    expect(output).to.contain('skipped: no JDK: javac is not on the PATH\n');
    expect(output)
      .to.match(/\b0 passing/)
      .and.match(/\b1 pending/);
    expect(code).to.equal(0);
  });

  it('fails where it is required', async () => {
    const [output, code] = await runWithoutJava({ RMQNS_INTEROP: 'required' });
    expect(output).to.contain('RMQNS_INTEROP=required, but no JDK: javac is not on the PATH');
    expect(code).to.equal(1);
  });
});
