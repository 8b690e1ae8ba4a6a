import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';

const run = promisify(execFile);
const packageFolder = join(repositoryRoot, 'packages/remoting');

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * The package as its users get it: packed, and installed into an empty project. Its dependencies are packed from our own node_modules, so that
 * the test needs no registry.
 */
describe('the package @rmqns/remoting, installed from its tarball', function () {
  this.timeout(120_000);
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Manifest;
  let directory: TemporaryDirectory;
  let project: string;

  const npm = async (args: readonly string[], cwd: string): Promise<string> => {
    const environment = { ...process.env, npm_config_update_notifier: 'false', NODE_OPTIONS: '' };
    return (await run('npm', [...args], { cwd, env: environment })).stdout;
  };

  before(async () => {
    directory = await TemporaryDirectory.create();
    project = directory.path;
    const folders = [
      packageFolder,
      ...Object.keys(manifest.dependencies).map((name) => join(repositoryRoot, 'node_modules', name)),
    ];
    const packed = await npm(
      ['pack', '--json', '--ignore-scripts', '--pack-destination', project, ...folders],
      project,
    );
    const tarballs = (JSON.parse(packed) as { readonly filename: string }[]).map(({ filename }) => `./${filename}`);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    await npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs], project);
  });

  after(() => directory[Symbol.asyncDispose]());

  it('brings what it needs and no more', () => {
    const installed = join(project, 'node_modules/@rmqns/remoting');
    for (const file of ['README.md', 'LICENSE', 'NOTICE', 'src/index.ts', 'dist/src/index.js', 'dist/src/index.d.ts'])
      expect(existsSync(join(installed, file)), file).to.equal(true);
    for (const file of ['test', 'dist/test', 'tsconfig.json'])
      expect(existsSync(join(installed, file)), file).to.equal(false);
    for (const file of ['LICENSE', 'NOTICE'])
      expect(readFileSync(join(installed, file), 'utf8')).to.equal(readFileSync(join(repositoryRoot, file), 'utf8'));
  });

  it('runs the hello world', async () => {
    copyFileSync(join(repositoryRoot, 'examples/dist/hello.js'), join(project, 'hello.js'));
    const { stdout, stderr } = await run(process.execPath, ['hello.js'], { cwd: project, timeout: 20_000 });
    expect(stdout.split('\n').filter((line) => !line.startsWith('GREET '))).to.deep.equal(['hello Ada hello Ada', '']);
    expect(stderr).to.equal('');
  });

  it('gives each of its entries to import, and to require', async () => {
    const entries = Object.keys(manifest.exports).map((subpath) => `@rmqns/remoting${subpath.slice(1)}`);
    writeFileSync(
      join(project, 'entries.mjs'),
      `for (const entry of ${JSON.stringify(entries)}) process.stdout.write(\`\${entry} \${Object.keys(await import(entry)).length > 0}\\n\`);`,
    );
    const { stdout } = await run(process.execPath, ['entries.mjs'], { cwd: project });
    expect(stdout.trimEnd().split('\n')).to.deep.equal(entries.map((entry) => `${entry} true`));
    const script = `process.stdout.write(typeof require('@rmqns/remoting').RemotingServer)`;
    const required = await run(process.execPath, ['--input-type=commonjs', '--eval', script], { cwd: project });
    expect(required.stdout).to.equal('function');
  });

  it('has types that hold without skipLibCheck', async () => {
    copyFileSync(join(repositoryRoot, 'examples/hello.ts'), join(project, 'hello.ts'));
    const imports = Object.keys(manifest.exports).map(
      (subpath, index) => `import * as entry${index} from '@rmqns/remoting${subpath.slice(1)}'; void entry${index};\n`,
    );
    writeFileSync(join(project, 'entries.ts'), imports.join(''));
    for (const name of ['@types/node', 'undici-types']) {
      const link = join(project, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(repositoryRoot, 'node_modules', name), link);
    }
    const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const libraries = ['--lib', 'es2023,esnext.disposable'];
    const checked = run(process.execPath, [tsc, ...options, ...libraries, 'hello.ts', 'entries.ts'], { cwd: project });
    expect((await checked.catch((error: { stdout: string }) => error)).stdout).to.equal('');
  });
});
