import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KvConfigTable } from '@rmqns/protocol';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { NamesrvError } from '../../src/errors.js';
import { KvConfigStore } from '../../src/kvconfig/kv-config-store.js';

const table = (value: string) => new Map([['N', new Map([['k', value]])]]);
const text = (value: string) => `{"configTable":{"N":{"k":"${value}"}}}`;

async function failure(promise: Promise<unknown>): Promise<NamesrvError> {
  try {
    await promise;
  } catch (error) {
    if (NamesrvError.is(error)) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

describe('KvConfigStore', () => {
  let directory: string;
  let path: string;
  let store: KvConfigStore;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-kv-'));
    path = join(directory, 'kvConfig.json');
    store = new KvConfigStore(path);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('a missing file holds nothing', async () => {
    expect(await store.load()).to.deep.equal(new Map());
  });

  it('writes one line in the format of Apache and reads it back, empty namespaces and other alphabets included', async () => {
    const configTable = new Map([
      ['ORDER_TOPIC_CONFIG', new Map([['T1', 'b-a:4']])],
      ['NS', new Map<string, string>()],
      ['ключ "\\', new Map([['__proto__', 'значение']])],
    ]);
    await store.persist(() => configTable);
    const [line] = (await readFile(path, 'utf8')).split('"ключ');
    expect(line).to.equal('{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"b-a:4"},"NS":{},');
    expect(await store.load()).to.deep.equal(configTable);
  });

  it('reads what Apache 4.7.1 wrote with null keys, and leaves out null values', async () => {
    await writeFile(path, '{"configTable":{null:{null:"x"},"N":{"k":"v","gone":null}}}');
    expect(await store.load()).to.deep.equal(
      new Map([
        ['null', new Map([['null', 'x']])],
        ['N', new Map([['k', 'v']])],
      ]),
    );
  });

  for (const [what, content, why] of [
    ['an empty file', '', 'it is empty, as an interrupted write leaves it'],
    ['half a file', '{"configTable":{"N":{"k"', ''],
    ['another JSON file', '{"a":1}', 'the KV configuration has no configTable'],
    ['the text null', 'null', 'the KV configuration has no configTable'],
    ['a file of another kind', 'kvConfigPath=/x\n', ''],
    ['a namespace that is no table', '{"configTable":{"N":7}}', ''],
    ['bytes that are no UTF-8', Buffer.from('{"configTable":{"N":{"k":"\xff"}}}', 'latin1'), ''],
  ] as const) {
    it(`${what} is refused with one sentence that names the file and the way out, and is left as it is`, async () => {
      await writeFile(path, content);
      const error = await failure(store.load());
      expect(error.code).to.equal('KV_CONFIG_UNREADABLE');
      expect(error.path).to.equal(path);
      expect(error.message).to.include(`the KV configuration file ${path} holds no KV configuration: ${why}`);
      expect(error.message).to.include(`start with --kv-from-backup to take ${path}.bak in its place`);
      expect(error.message).to.not.include('\n');
      expect(await readFile(path)).to.deep.equal(Buffer.from(content));
    });
  }

  it('a path that cannot be read is refused as such', async () => {
    await mkdir(path);
    const error = await failure(store.load());
    expect(error.code).to.equal('KV_CONFIG_UNREADABLE');
    expect(error.message).to.include(`${path} cannot be read: EISDIR`);
  });

  it('the former content stays as .bak, and nothing else is left', async () => {
    await store.persist(() => table('1'));
    expect(await readdir(directory)).to.deep.equal(['kvConfig.json']);
    await store.persist(() => table('2'));
    await store.persist(() => table('3'));
    expect(await readFile(path, 'utf8')).to.equal(text('3'));
    expect(await readFile(`${path}.bak`, 'utf8')).to.equal(text('2'));
    expect((await readdir(directory)).sort()).to.deep.equal(['kvConfig.json', 'kvConfig.json.bak']);
  });

  it('the same content again leaves the .bak of the last change', async () => {
    await store.persist(() => table('1'));
    await store.persist(() => table('2'));
    await store.persist(() => table('2'));
    expect(await readFile(`${path}.bak`, 'utf8')).to.equal(text('1'));
  });

  it('directories that are missing are made; they and the files are for the owner alone', async () => {
    const deep = join(directory, 'a', 'b', 'kvConfig.json');
    const deepStore = new KvConfigStore(deep);
    await deepStore.persist(() => table('1'));
    await deepStore.persist(() => table('2'));
    const modes = [join(directory, 'a'), join(directory, 'a', 'b'), deep, `${deep}.bak`].map(
      async (file) => (await stat(file)).mode & 0o777,
    );
    expect(await Promise.all(modes)).to.deep.equal([0o700, 0o700, 0o600, 0o600]);
  });

  it('a symbolic link stays a link and its target is replaced, also one that does not exist yet', async () => {
    const target = join(directory, 'elsewhere', 'kv.json');
    await symlink(join('elsewhere', 'kv.json'), path);
    await store.persist(() => table('1'));
    await store.persist(() => table('2'));
    expect(await readFile(target, 'utf8')).to.equal(text('2'));
    expect(await readFile(`${target}.bak`, 'utf8')).to.equal(text('1'));
    expect((await readdir(directory)).sort()).to.deep.equal(['elsewhere', 'kvConfig.json']);
    expect(await store.load()).to.deep.equal(table('2'));
  });

  it('a temporary file that lies in the way, even a link to elsewhere, is replaced and never written through', async () => {
    const other = join(directory, 'other');
    await writeFile(other, 'untouched');
    await symlink(other, `${path}.tmp`);
    await store.persist(() => table('1'));
    expect(await readFile(other, 'utf8')).to.equal('untouched');
    expect(await readFile(path, 'utf8')).to.equal(text('1'));
  });

  it('writes asked for during a write become one, with the state when it begins', async () => {
    let value = 0;
    const written: number[] = [];
    const current = () => {
      written.push(value);
      return table(String(value));
    };
    const all: Promise<void>[] = [];
    for (value = 1; value <= 50; value++) all.push(store.persist(current));
    await Promise.all(all);
    expect(written).to.deep.equal([51]);
    value = 60;
    const first = store.persist(current);
    await Promise.resolve();
    await Promise.resolve();
    value = 61;
    await Promise.all([first, store.persist(current), store.persist(current)]);
    expect(await readFile(path, 'utf8')).to.equal(text('61'));
    expect(written.length).to.be.at.most(3);
  });

  it('a write that fails says so once to each caller and the next one works', async () => {
    await writeFile(join(directory, 'file'), '');
    const blocked = join(directory, 'file', 'kvConfig.json');
    const blockedStore = new KvConfigStore(blocked);
    const error = await failure(blockedStore.persist(() => table('1')));
    expect(error.code).to.equal('KV_CONFIG_NOT_WRITABLE');
    expect(error.message).to.match(/^cannot write the KV configuration to .*kvConfig\.json: ENOTDIR/);
    await rm(join(directory, 'file'));
    await blockedStore.persist(() => table('2'));
    expect(await readFile(blocked, 'utf8')).to.equal(text('2'));
  });

  it('when a write fails, all that was asked for until then fails, and what is on disk is to be restored', async () => {
    const restored: KvConfigTable[] = [];
    store = new KvConfigStore(path, { restore: (stored) => restored.push(stored) });
    await store.persist(() => table('1'));
    await chmod(path, 0o400);
    const first = failure(store.persist(() => table('2')));
    await Promise.resolve();
    await Promise.resolve();
    const second = failure(store.persist(() => table('3')));
    expect((await first).message).to.include('the file is read-only; nothing was changed');
    expect(await second).to.equal(await first);
    expect(restored).to.deep.equal([table('1')]);
    await chmod(path, 0o600);
    await store.persist(() => table('4'));
    expect(await readFile(path, 'utf8')).to.equal(text('4'));
  });

  describe('from the backup', () => {
    const warnings: string[] = [];
    beforeEach(() => {
      warnings.length = 0;
      store = new KvConfigStore(path, { warn: (sentence) => warnings.push(sentence) });
    });

    it('takes the .bak for a torn file, which it keeps, and the next write leaves the good one as .bak', async () => {
      await writeFile(path, '{"configTable":{"N"');
      await writeFile(`${path}.bak`, text('1'));
      expect(await store.load({ fromBackup: true })).to.deep.equal(table('1'));
      expect(warnings).to.deep.equal([
        `the KV configuration file ${path} cannot be used and is now ${path}.broken; ${path}.bak took its place`,
      ]);
      expect(await readFile(`${path}.broken`, 'utf8')).to.equal('{"configTable":{"N"');
      await store.persist(() => table('2'));
      expect(await readFile(`${path}.bak`, 'utf8')).to.equal(text('1'));
    });

    it('takes the .bak where Apache 4.x left no file, and otherwise only says that there is one', async () => {
      await writeFile(`${path}.bak`, text('1'));
      expect(await store.load()).to.deep.equal(new Map());
      expect(warnings.join()).to.include(`a former one, ${path}.bak; start with --kv-from-backup to take it`);
      expect(await store.load({ fromBackup: true })).to.deep.equal(table('1'));
      expect(await readFile(path, 'utf8')).to.equal(text('1'));
    });

    it('leaves a good file alone', async () => {
      await writeFile(path, text('2'));
      await writeFile(`${path}.bak`, text('1'));
      expect(await store.load({ fromBackup: true })).to.deep.equal(table('2'));
      expect(warnings).to.deep.equal([]);
    });

    it('refuses when the backup cannot be used either, or there is none', async () => {
      await writeFile(path, 'x');
      expect((await failure(store.load({ fromBackup: true }))).path).to.equal(path);
      await writeFile(`${path}.bak`, 'y');
      const error = await failure(store.load({ fromBackup: true }));
      expect(error.path).to.equal(`${path}.bak`);
      expect(error.message).to.include(`so ${path} cannot be brought back`);
      expect(await readFile(path, 'utf8')).to.equal('x');
    });
  });

  it('close waits for what was asked for', async () => {
    const write = store.persist(() => table('1'));
    await store.close();
    expect(await readFile(path, 'utf8')).to.equal(text('1'));
    await write;
  });
});
