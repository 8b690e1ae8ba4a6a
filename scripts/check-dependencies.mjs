// The dependency rule: which part may import which, and what pure code may not touch. Prints one sentence a violation and ends with 1 if
// there is any. The compiler resolves imports; this reads them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** What each package may import of the others. Tests may import the test kit besides. */
const ALLOWED = {
  'packages/remoting': [],
  'packages/protocol': ['@rmqns/remoting'],
  'packages/namesrv': ['@rmqns/protocol', '@rmqns/remoting'],
  'packages/namesrv-client': ['@rmqns/protocol', '@rmqns/remoting'],
  'packages/program': [],
  'apps/broker-agent': ['@rmqns/namesrv-client', '@rmqns/program', '@rmqns/protocol', '@rmqns/remoting'],
  'examples/observability': ['@rmqns/remoting'],
  'examples/storage-node': ['@rmqns/protocol', '@rmqns/remoting'],
  'apps/namesrv': ['@rmqns/namesrv', '@rmqns/namesrv-client', '@rmqns/program', '@rmqns/protocol', '@rmqns/remoting'],
};

/** Code that computes and does nothing else. */
const PURE = [
  'packages/remoting/src/json/',
  'packages/remoting/src/command/',
  'packages/remoting/src/codec/',
  'packages/remoting/src/buffer/',
  'packages/protocol/src/',
  'packages/namesrv/src/routeinfo/',
];

/** Of Node's modules pure code may import those that only compute. */
const PURE_NODE_MODULES = new Set(['node:buffer', 'node:zlib', 'node:util']);
const IMPURE_PACKAGES = new Set(['pino', 'commander']);
/** Entries that pull in sockets; pure code uses the narrower ones. */
const IMPURE_ENTRIES = new Set(['@rmqns/remoting', '@rmqns/remoting/testing']);
/** Where a library may read the environment: what a person who debugs sets, and nothing that apps configure. */
const DEBUG_ENVIRONMENT = 'packages/remoting/src/debug-environment.ts';
const IMPURE_GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'fetch',
  'process',
  'performance',
]);

/** The sentences about all sources below `root`. */
export function findViolations(root) {
  const exported = readExports(root);
  return Object.keys(ALLOWED).flatMap((part) =>
    listSources(join(root, part, 'src')).flatMap((path) => {
      const file = relative(root, path).split(sep).join('/');
      return checkSource(file, readFileSync(path, 'utf8'), exported);
    }),
  );
}

/** The sentences about one source. `exported` is the set of specifiers that packages export. */
export function checkSource(file, text, exported) {
  const part = file.split('/').slice(0, 2).join('/');
  // What all apps do may do what apps may. An example is a library with a small program beside it.
  const isProgram =
    part.startsWith('apps/') || part === 'packages/program' || /^examples\/[^/]+\/src\/main\.ts$/.test(file);
  const pure = PURE.some((folder) => file.startsWith(folder));
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const say = (node, sentence) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${file}:${line + 1} ${sentence}`);
  };
  const visit = (node) => {
    const specifier = importedBy(node);
    if (specifier !== undefined) checkImport(node, specifier, isTypeOnly(node));
    if (!isProgram) checkGlobal(node);
    ts.forEachChild(node, visit);
  };

  const checkImport = (node, specifier, typeOnly) => {
    if (specifier.startsWith('.')) {
      const target = join(dirname(file), specifier).split(sep).join('/');
      if (!target.startsWith(`${part}/src/`)) {
        say(node, `imports ${specifier}, which is outside its package's src; import the package by its name.`);
      } else if (pure && !typeOnly && !PURE.some((folder) => target.startsWith(folder)) && isShell(target)) {
        say(node, `is pure but imports ${specifier}, which does input or output.`);
      }
      return;
    }
    if (specifier.startsWith('@rmqns/')) {
      const name = specifier.split('/').slice(0, 2).join('/');
      if (!ALLOWED[part].includes(name)) say(node, `imports ${name}, which ${part} may not depend on.`);
      else if (!exported.has(specifier)) say(node, `imports ${specifier}, which ${name} does not export.`);
      if (specifier.endsWith('/testing')) say(node, `imports ${specifier}, which is for tests only.`);
    }
    if (!pure || typeOnly) return;
    if (specifier.startsWith('node:') && !PURE_NODE_MODULES.has(specifier)) {
      say(node, `is pure but imports ${specifier}.`);
    }
    if (IMPURE_PACKAGES.has(specifier) || IMPURE_ENTRIES.has(specifier)) {
      say(node, `is pure but imports ${specifier}${IMPURE_ENTRIES.has(specifier) ? '; take it from a subpath' : ''}.`);
    }
  };

  const checkGlobal = (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'process') {
      const mayRead = node.name.text === 'env' && file === DEBUG_ENVIRONMENT;
      if (['env', 'exit', 'exitCode'].includes(node.name.text) && !mayRead) {
        say(node, `uses process.${node.name.text}, which only apps may.`);
      }
    }
    if (!ts.isIdentifier(node) || !isFreeUse(node)) return;
    if (node.text === 'console') say(node, 'uses console, which only apps may.');
    if (pure && IMPURE_GLOBALS.has(node.text)) say(node, `is pure but uses ${node.text}.`);
    if (pure && node.text === 'Date' && isNowCall(node)) say(node, 'is pure but asks for the time.');
  };

  visit(source);
  return found;
}

/** The files of remoting and namesrv that pure code beside them may not import: those in folders that do input or output. */
function isShell(target) {
  return /^packages\/(remoting\/src\/(channel|client|server|transport|rpc)|namesrv\/src\/(kvconfig|processor))\//.test(
    target,
  );
}

function importedBy(node) {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
    return node.moduleSpecifier.text;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments;
    return specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : undefined;
  }
  return undefined;
}

/** A type-only import leaves nothing in the output. */
function isTypeOnly(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly || namesAreTypes(node.exportClause);
  if (!ts.isImportDeclaration(node) || node.importClause === undefined) return false;
  if (node.importClause.isTypeOnly) return true;
  return node.importClause.name === undefined && namesAreTypes(node.importClause.namedBindings);
}

function namesAreTypes(bindings) {
  if (bindings === undefined || bindings.elements === undefined || bindings.elements.length === 0) return false;
  return bindings.elements.every((element) => element.isTypeOnly);
}

/** Whether an identifier refers to a variable, rather than naming a member, a property or a declaration. */
function isFreeUse(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent) || ts.isTypeReferenceNode(parent) || ts.isImportSpecifier(parent)) return false;
  return !('name' in parent && parent.name === node);
}

function isNowCall(node) {
  const { parent } = node;
  if (ts.isNewExpression(parent)) return parent.arguments === undefined || parent.arguments.length === 0;
  return ts.isPropertyAccessExpression(parent) && parent.name.text === 'now';
}

function readExports(root) {
  const exported = new Set();
  for (const part of Object.keys(ALLOWED)) {
    const manifest = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8'));
    for (const subpath of Object.keys(manifest.exports ?? {})) exported.add(manifest.name + subpath.slice(1));
  }
  return exported;
}

function listSources(directory) {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      if (statSync(path).isDirectory()) return listSources(path);
      return name.endsWith('.ts') ? [path] : [];
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = findViolations(join(dirname(fileURLToPath(import.meta.url)), '..'));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  if (violations.length === 0) process.stdout.write('The dependency rule holds.\n');
  process.exitCode = violations.length === 0 ? 0 : 1;
}
