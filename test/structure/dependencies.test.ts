import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';

interface DependencyCheck {
  findViolations(root: string): string[];
  checkSource(file: string, text: string, exported: ReadonlySet<string>): string[];
}

const exported = new Set([
  '@rmqns/remoting',
  '@rmqns/remoting/command',
  '@rmqns/remoting/testing',
  '@rmqns/protocol',
  '@rmqns/namesrv',
]);

describe('the dependency rule', () => {
  let check: DependencyCheck;

  before(async () => {
    const url = pathToFileURL(join(repositoryRoot, 'scripts/check-dependencies.mjs'));
    check = (await import(url.href)) as DependencyCheck;
  });

  it('holds in the sources', () => {
    expect(check.findViolations(repositoryRoot)).to.deep.equal([]);
  });

  const violations: [title: string, file: string, text: string, sentence: string][] = [
    [
      'an import against the arrows',
      'packages/protocol/src/a.ts',
      "import { x } from '@rmqns/namesrv';",
      'imports @rmqns/namesrv, which packages/protocol may not depend on.',
    ],
    [
      'what programs share in a library',
      'packages/namesrv/src/a.ts',
      "import { Exit } from '@rmqns/program';",
      'imports @rmqns/program, which packages/namesrv may not depend on.',
    ],
    [
      'an import past the exports of a package',
      'packages/namesrv/src/a.ts',
      "import type { X } from '@rmqns/remoting/dist/src/x.js';",
      'imports @rmqns/remoting/dist/src/x.js, which @rmqns/remoting does not export.',
    ],
    [
      'a relative import of another package',
      'packages/namesrv/src/a.ts',
      "export { x } from '../../protocol/src/x.js';",
      "imports ../../protocol/src/x.js, which is outside its package's src; import the package by its name.",
    ],
    [
      'a testing entry in a source',
      'packages/namesrv/src/a.ts',
      "import { ManualClock } from '@rmqns/remoting/testing';",
      'imports @rmqns/remoting/testing, which is for tests only.',
    ],
    [
      'a socket in pure code',
      'packages/remoting/src/codec/a.ts',
      "import { connect } from 'node:net';",
      'is pure but imports node:net.',
    ],
    [
      'a dynamic import of a file system in pure code',
      'packages/protocol/src/a.ts',
      "const fs = await import('node:fs');",
      'is pure but imports node:fs.',
    ],
    [
      'the entry with sockets in pure code',
      'packages/protocol/src/a.ts',
      "import { RemotingServer } from '@rmqns/remoting';",
      'is pure but imports @rmqns/remoting; take it from a subpath.',
    ],
    [
      'the network folder in pure code beside it',
      'packages/remoting/src/command/a.ts',
      "import { X } from '../channel/x.js';",
      'is pure but imports ../channel/x.js, which does input or output.',
    ],
    [
      'a timer in pure code',
      'packages/namesrv/src/routeinfo/a.ts',
      'setTimeout(() => {}, 5);',
      'is pure but uses setTimeout.',
    ],
    [
      'the time in pure code',
      'packages/namesrv/src/routeinfo/a.ts',
      'const now = Date.now();',
      'is pure but asks for the time.',
    ],
    [
      'the environment in a library',
      'packages/namesrv/src/a.ts',
      "const home = process.env['HOME'];",
      'uses process.env, which only apps may.',
    ],
    [
      'the end of the process in a library',
      'packages/remoting/src/a.ts',
      'process.exit(1);',
      'uses process.exit, which only apps may.',
    ],
    [
      'the console in a library',
      'packages/remoting/src/a.ts',
      "console.log('x');",
      'uses console, which only apps may.',
    ],
  ];

  for (const [title, file, text, sentence] of violations) {
    it(`refuses ${title}`, () => {
      expect(check.checkSource(file, text, exported)).to.deep.equal([`${file}:1 ${sentence}`]);
    });
  }

  const allowed: [title: string, file: string, text: string][] = [
    ['an import along the arrows', 'packages/namesrv/src/a.ts', "import { x } from '@rmqns/protocol';"],
    ['a pure subpath in pure code', 'packages/protocol/src/a.ts', "import { t } from '@rmqns/remoting/command';"],
    ['a type of any entry in pure code', 'packages/protocol/src/a.ts', "import type { Clock } from '@rmqns/remoting';"],
    ['what a person who debugs sets', 'packages/remoting/src/debug-environment.ts', "process.env['RMQNS_DEBUG'];"],
    ['the environment in an app', 'apps/namesrv/src/a.ts', "process.exit(process.env['A'] === undefined ? 1 : 0);"],
    ['the end of the process in what all programs share', 'packages/program/src/a.ts', 'process.exit(1);'],
    ['the exit code in the program of an example', 'examples/storage-node/src/main.ts', 'process.exitCode = 1;'],
    ['a member that has the name of a global', 'packages/protocol/src/a.ts', 'const x = { process: 1 }; x.process;'],
    ['a date that is given', 'packages/protocol/src/a.ts', 'new Date(0).toISOString();'],
  ];

  for (const [title, file, text] of allowed) {
    it(`lets pass ${title}`, () => {
      expect(check.checkSource(file, text, exported)).to.deep.equal([]);
    });
  }
});
