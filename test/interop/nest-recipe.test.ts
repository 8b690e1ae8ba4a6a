import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CapturedProcess, freePort, repositoryRoot, requireInterop, TemporaryDirectory } from '@rmqns/test-kit';
import { expect } from 'chai';
import ts from 'typescript';

const kit = join(repositoryRoot, 'test/interop/kit/nest');

/** The transport as the page has it. */
function recipe(): string {
  const page = readFileSync(join(repositoryRoot, 'docs/remoting.md'), 'utf8');
  const [, after = ''] = page.split(/^### \d+\. A transport for NestJS$/m);
  return /^```ts\n(.*?)^```$/ms.exec(after)?.[1] ?? '';
}

/** Compiles a file beside itself; returns what the compiler has against it. */
function compile(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    typeRoots: [join(repositoryRoot, 'node_modules/@types')],
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
}

describe('the transport for NestJS of docs/remoting.md', () => {
  let directory: TemporaryDirectory;

  before(async function () {
    const missing = 'NestJS is not installed; to install it: npm ci --ignore-scripts --prefix test/interop/kit/nest';
    requireInterop(this, existsSync(join(kit, 'node_modules/@nestjs/core')) ? undefined : missing);
    directory = await TemporaryDirectory.create();
    const modules = join(directory.path, 'node_modules');
    await mkdir(modules);
    for (const name of ['@nestjs', 'rxjs', 'reflect-metadata'])
      await symlink(join(kit, 'node_modules', name), join(modules, name));
    await symlink(join(repositoryRoot, 'node_modules/@rmqns'), join(modules, '@rmqns'));
    await writeFile(join(directory.path, 'package.json'), '{ "type": "module" }');
    await writeFile(join(directory.path, 'transport.ts'), recipe());
    await copyFile(join(kit, 'service.mjs'), join(directory.path, 'service.mjs'));
  });

  after(() => directory?.[Symbol.asyncDispose]());

  it('compiles with the types of Nest, and carries its messages and events', async () => {
    expect(compile(join(directory.path, 'transport.ts'))).to.deep.equal([]);
    await using service = new CapturedProcess({
      name: 'Nest service',
      command: process.execPath,
      args: [join(directory.path, 'service.mjs'), String(await freePort())],
    });
    const { code } = await service.waitForExit(30_000);
    expect(service.output.trimEnd().split('\n'), service.tail()).to.deep.equal([
      'noted: {"id":7}',
      'sum: 6',
      'progress: "sent"',
      'refuse: {"responseCode":1,"remark":"{\\"status\\":\\"error\\",\\"message\\":\\"no such order\\"}"}',
      'unknown: {"responseCode":20902,"remark":"nobody handles unknown"}',
    ]);
    expect(code).to.equal(0);
  });
});
