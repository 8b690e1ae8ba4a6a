import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataVersionStore } from '../src/data-version-store.js';

const version = (counter: number) => ({
  dataVersion: { counter, timestamp: counter, stateVersion: 0 },
  topicConfigTable: new Map(
    Array.from({ length: 200 }, (_, index) => {
      const topicName = `T${index}`;
      const config = { topicName, readQueueNums: 1, writeQueueNums: 1, perm: 6, topicSysFlag: 0, order: false };
      return [topicName, { ...config, topicFilterType: 'SINGLE_TAG' as const }];
    }),
  ),
  topicQueueMappingInfoMap: new Map(),
});

describe('DataVersionStore', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is whole at any time while two have the same directory, and leaves nothing beside its file', async () => {
    const [one, other] = [new DataVersionStore(directory), new DataVersionStore(directory)];
    await one.save(version(0), 6);
    for (let counter = 1; counter <= 20; counter++) {
      const [, , , loaded] = await Promise.all([
        one.save(version(counter), 6),
        other.prepare(),
        other.save(version(counter), 6),
        one.load(),
      ]);
      expect(loaded.problem).to.equal(undefined);
      expect(loaded.wrapper?.topicConfigTable?.size).to.equal(200);
    }
    expect((await one.load()).wrapper?.dataVersion.counter).to.equal(20);
    expect(await readdir(directory)).to.deep.equal(['registered-topics.json']);
  });

  it('makes its directory again where that is gone, and not the store that it is in', async () => {
    const store = new DataVersionStore(join(directory, 'store', 'state'), join(directory, 'store'));
    await mkdir(join(directory, 'store'));
    await store.prepare();
    await rm(join(directory, 'store', 'state'), { recursive: true });
    await store.save(version(1), 6);
    expect((await store.load()).wrapper?.dataVersion.counter).to.equal(1);
    await rm(join(directory, 'store'), { recursive: true });
    expect(await store.save(version(2), 6).catch((error: NodeJS.ErrnoException) => error.code)).to.equal('ENOENT');
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('leaves nothing behind that cannot be put in place', async () => {
    const store = new DataVersionStore(directory);
    await mkdir(store.path);
    const code = await store.save(version(1), 6).catch((error: NodeJS.ErrnoException) => error.code);
    expect(code).to.be.oneOf(['EISDIR', 'EEXIST', 'ENOTEMPTY']);
    expect(await readdir(directory)).to.deep.equal(['registered-topics.json']);
  });
});
