import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';
import ts from 'typescript';

/** Pages whose every block of TypeScript is to compile. */
const pages = ['README.md', 'packages/remoting/README.md', 'docs/remoting.md', 'docs/tls.md'];

/** Where the files of the snippets are said to lie; nothing is written. */
const folder = join(repositoryRoot, 'snippets');

/** What recipes take for granted, and as much of other packages as they use. */
const ambient: readonly [name: string, text: string][] = [
  [
    'made-before.d.ts',
    `declare global {
      const server: import('@rmqns/remoting').RemotingServer;
      const client: import('@rmqns/remoting').RemotingClient;
      const address: string;
      const PlaceOrder: typeof import('./docs/remoting.md/contract.js').PlaceOrder;
    }
    export {};`,
  ],
  [
    'other-packages.d.ts',
    `declare module 'rxjs' {
      export interface Observable<T> { readonly of: T }
      export function lastValueFrom<T, D>(source: Observable<T>, options: { defaultValue: D }): Promise<T | D>;
    }
    declare module '@nestjs/microservices' {
      import type { Observable } from 'rxjs';
      export interface ReadPacket { pattern: any; data: any }
      export interface WritePacket { err?: any; response?: any; isDisposed?: boolean }
      export class BaseRpcContext { constructor(args: unknown[]) }
      export interface CustomTransportStrategy { listen(callback: (...optional: unknown[]) => any): any; close(): any }
      export abstract class Server<Events extends Record<string, Function>> {
        abstract on<Name extends keyof Events, Callback extends Events[Name]>(event: Name, callback: Callback): any;
        abstract unwrap<T>(): T;
        abstract listen(callback: (...optional: unknown[]) => any): any;
        abstract close(): any;
        getHandlerByPattern(pattern: string): ((data: any, context?: any) => Promise<Observable<any>>) | null;
        handleEvent(pattern: string, packet: ReadPacket, context: BaseRpcContext): Promise<any>;
        transformToObservable<T>(result: Observable<T> | Promise<T>): Observable<T>;
      }
      export abstract class ClientProxy {
        abstract connect(): Promise<any>;
        abstract close(): any;
        abstract unwrap<T>(): T;
        protected abstract publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void;
        protected abstract dispatchEvent<T = any>(packet: ReadPacket): Promise<T>;
        protected normalizePattern(pattern: any): string;
      }
    }`,
  ],
];

interface Snippet {
  readonly file: string;
  /** Each line has the number that it has on its page. */
  readonly text: string;
}

/** The blocks of a page. One that begins with a comment of nothing but a file's name can be imported by that name. */
function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(repositoryRoot, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => {
    const lines = text.slice(0, index).split('\n').length;
    const name = /^\/\/ ([\w-]+)\.ts\n/.exec(code)?.[1] ?? `line-${lines}`;
    return { file: join(folder, page, `${name}.ts`), text: '\n'.repeat(lines) + code };
  });
}

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

/** What the compiler has against the texts, each with its page and line. */
function problemsOf(snippets: readonly Snippet[]): string[] {
  const texts = new Map(snippets.map(({ file, text }) => [file, text]));
  for (const [name, text] of ambient) texts.set(join(folder, name), text);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  // Else no import of one snippet by another is looked for.
  host.directoryExists = (name) => name.startsWith(folder) || ts.sys.directoryExists(name);
  host.getSourceFile = (name, languageVersionOrOptions, ...rest) => {
    const text = texts.get(name);
    if (text === undefined) return getSourceFile(name, languageVersionOrOptions, ...rest);
    return ts.createSourceFile(name, text, languageVersionOrOptions);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined) return message;
    const page = pages.find((name) => file.fileName.startsWith(`${join(folder, name)}/`)) ?? file.fileName;
    return `${page}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${message}`;
  });
}

describe('the TypeScript on the pages', () => {
  const wrong = { file: join(folder, 'docs/remoting.md/wrong.ts'), text: '\n\nclient.call(address);\n' };
  const seen = 'docs/remoting.md:3: Expected at least 3 arguments, but got 1.';
  let problems: string[];

  before(function () {
    this.timeout(120_000);
    const snippets = pages.flatMap(snippetsOf);
    expect(snippets.length).to.be.above(15);
    problems = problemsOf([...snippets, wrong]);
  });

  it('compiles', () => {
    expect(problems.filter((problem) => problem !== seen)).to.deep.equal([]);
  });

  it('would be found not to, with page and line', () => {
    expect(problems).to.include(seen);
  });

  it('introduces the package by the example hello', () => {
    const hello = readFileSync(join(repositoryRoot, 'examples/hello.ts'), 'utf8');
    expect(readFileSync(join(repositoryRoot, 'packages/remoting/README.md'), 'utf8')).to.include(hello);
  });
});
