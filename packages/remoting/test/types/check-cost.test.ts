import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** A program's text that defines, calls and handles so many commands, each with fields and bodies of its own. */
function commands(count: number): string {
  const lines = [
    "import { compressed, defineCommand, json, optionalBody, t, type RemotingClient, type RemotingServer } from './dist/src/index.js';",
    'declare const client: RemotingClient; declare const server: RemotingServer;',
  ];
  for (let i = 0; i < count; i++) {
    lines.push(
      `interface Body${i} { readonly a${i}: string; readonly list: readonly { b${i}: number }[] }`,
      `const Command${i} = defineCommand({ code: ${i}, name: 'COMMAND_${i}',`,
      `  request: { topic${i}: t.string(), queue: t.int().default(${i}), offset${i}: t.long().optional(), flag: t.boolean() },`,
      `  response: { text${i}: t.string(), count: t.int().optional() },`,
      `  requestBody: json<Body${i}>(), responseBody: compressed(optionalBody(json<Body${i}[]>())) });`,
      `server.handle(Command${i}, ({ header, body }) => ({ header: { text${i}: header.topic${i} + body.a${i} }, body: [body] }));`,
      `export const result${i} = client.call('a:1', Command${i}, { topic${i}: 'a', flag: true }, { body: { a${i}: 'a', list: [] } })`,
      `  .then(({ header, body }) => header.text${i} + (body?.[0]?.list[0]?.b${i} ?? header.count ?? 0));`,
    );
  }
  return lines.join('\n');
}

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

/** Type instantiations that the compiler makes for so many commands. */
function instantiations(count: number): number {
  const file = `${packageRoot}generated-commands.ts`;
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(file, commands(count), ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  const problems = program.getSemanticDiagnostics(program.getSourceFile(file));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).to.deep.equal([]);
  return program.getInstantiationCount();
}

// Wants row 84: an editor must stay quick with hundreds of commands. Counted, since times say more of the machine.
describe('the types of commands', () => {
  it('cost the compiler less than 800 instantiations for each of 300 commands, called and handled (W84)', function () {
    this.timeout(120_000);
    expect(instantiations(300) / 300).to.be.below(800);
  });
});
