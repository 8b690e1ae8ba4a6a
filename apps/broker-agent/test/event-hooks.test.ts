import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { eventually } from '@rmqns/test-kit';
import { expect } from 'chai';
import { EventHooks } from '../src/event-hooks.js';
import type { HookConfig } from '../src/hook-config.js';
import { Scratch } from './agent-fixture.js';

describe('the hooks of an event, under another configuration', () => {
  let scratch: Scratch;
  let clock: ManualClock;
  let warnings: object[];
  let results: string[];
  let hooks: EventHooks;
  beforeEach(() => {
    scratch = new Scratch();
    clock = new ManualClock(0);
    warnings = [];
    results = [];
    hooks = new EventHooks({
      clock,
      logger: { ...silentLogger, warn: (fields: object) => void warnings.push(fields) },
      onResult: (_, result) => void results.push(result),
    });
  });
  afterEach(() => {
    hooks.close();
    scratch[Symbol.dispose]();
    expect(clock.pendingTimers).to.equal(0);
  });

  /** A program that notes its name and what it is told, once there is a file `go`. */
  const hook = (name: string): HookConfig => ({
    kind: 'exec',
    command: [
      '/bin/sh',
      '-c',
      `echo ${name} >> "$0/begun"; until [ -e "$0/go" ]; do sleep 0.01; done; echo "${name} $(cat)" >> "$0/told"`,
      scratch.path,
    ],
    timeoutMillis: 60_000,
  });
  const tell = (...texts: readonly string[]): void => {
    for (const json of texts) hooks.tell({ json, variables: {} });
  };
  const lines = (file: string): string[] => {
    const path = join(scratch.path, file);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  const until = (what: string, isSo: () => boolean): Promise<true> =>
    eventually(async () => (isSo() ? true : undefined), { what, timeoutMillis: 5_000, intervalMillis: 5 });
  const go = (): void => writeFileSync(join(scratch.path, 'go'), '');

  it('are told all that waited for them, and those in their place only then, also two configurations later', async () => {
    hooks.update([hook('first')]);
    tell('1', '2');
    await until('the first run', () => lines('begun').length === 1);
    hooks.update([hook('second')]);
    tell('3');
    hooks.update([hook('third')]);
    tell('4');
    go();
    await until('the runs', () => results.length === 4);
    expect(lines('told')).to.deep.equal(['first 1', 'first 2', 'second 3', 'third 4']);
    expect(results).to.deep.equal(['ok', 'ok', 'ok', 'ok']);
  });

  it('go on as they are where it has them, too', async () => {
    hooks.update([hook('gone'), hook('kept')]);
    tell('1');
    await until('both runs', () => lines('begun').length === 2);
    hooks.update([hook('kept')]);
    tell('2');
    go();
    await until('the runs', () => results.length === 3);
    expect(lines('told').filter((line) => line.startsWith('kept'))).to.deep.equal(['kept 1', 'kept 2']);
    expect(lines('told')).to.include('gone 1');
  });

  it('are ended after 30 s, which the log says, and those in their place begin', async () => {
    hooks.update([hook('first')]);
    tell('1', '2');
    await until('the first run', () => lines('begun').length === 1);
    hooks.update([hook('second')]);
    tell('3');
    await clock.advanceAsync(29_999, 10_000);
    expect(lines('begun')).to.deep.equal(['first']);
    await clock.advanceAsync(1, 1);
    go();
    await until('the runs', () => results.length === 3);
    expect(results).to.deep.equal(['dropped', 'dropped', 'ok']);
    expect(lines('told')).to.deep.equal(['second 3']);
    const reason = 'it is no longer configured, and was not done within 30000 ms';
    expect(warnings).to.deep.equal([{ hook: 'exec /bin/sh', dropped: 2, reason }]);
  });
});
