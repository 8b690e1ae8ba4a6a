import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const reports = fileURLToPath(new URL('../../../api/', import.meta.url));

/** Asynchronous functions that need no signal, and why. */
const without: Readonly<Record<string, string>> = {
  'Channel.close': 'is bounded by the times of its channel; destroy() ends it',
  'RemotingClient.destroy': 'waits for nothing but the system',
  'RemotingServer.destroy': 'waits for nothing but the system',
  'RemotingServer.reloadTls': 'reads a few small files',
  'TestPair.destroy': 'waits for nothing but the system',
  expectNoLeaks: 'lasts as long as what it is given',
  'ManualClock.advanceAsync': 'no real time passes',
};

interface AsyncFunction {
  readonly name: string;
  readonly parameters: string;
}

/** What an API report exports: its text by name, and the functions and methods that return promises. */
function readReport(name: string): { texts: Map<string, string>; functions: AsyncFunction[] } {
  const texts = new Map<string, string>();
  const functions: AsyncFunction[] = [];
  for (const block of readFileSync(join(reports, name), 'utf8').split('\n\n')) {
    const [, kind, owner = ''] =
      /^(?:\/\/.*\n)*export (?:declare )?(?:abstract )?(class|interface|type|function|const) (\w+)/.exec(block) ?? [];
    if (kind === undefined) continue;
    texts.set(owner, block);
    if (kind === 'type' || kind === 'const') continue;
    for (const [, method = '', parameters = ''] of block.matchAll(
      /^(?:export function| {4}(?:abstract )?)\s*(\w+)(?:<.*?>)?\((.*)\): Promise</gm,
    ))
      functions.push({ name: kind === 'function' ? owner : `${owner}.${method}`, parameters });
  }
  return { texts, functions };
}

describe('each asynchronous function that the package exports', () => {
  it('takes a signal, or there is a reason why not (W83)', () => {
    const names = readdirSync(reports).map(readReport);
    const texts = new Map(names.flatMap((report) => [...report.texts]));
    const functions = names.flatMap((report) => report.functions);
    const hasSignal = (text: string, seen = new Set<string>()): boolean =>
      /\bsignal\??: AbortSignal\b/.test(text) ||
      [...text.matchAll(/\b[A-Z]\w+/g)].some(([type]) => {
        if (seen.has(type) || !/(Options|Parameter)$/.test(type)) return false;
        seen.add(type);
        return hasSignal(texts.get(type) ?? '', seen);
      });
    const found = functions.map(({ name }) => name);
    expect(found).to.include.members([
      'AbstractRemoting.call',
      'AbstractRemoting.invokeSync',
      'AbstractRemoting.invokeOneway',
      'AbstractRemoting.oneway',
      'RemotingClient.connect',
      'RemotingServer.start',
      'RemotingServer.close',
      'replay',
    ]);
    const lacking = functions.filter(({ parameters }) => !hasSignal(parameters)).map(({ name }) => name);
    expect(lacking.filter((name) => without[name] === undefined)).to.deep.equal([]);
    expect(Object.keys(without).filter((name) => !lacking.includes(name))).to.deep.equal([]);
  });
});
