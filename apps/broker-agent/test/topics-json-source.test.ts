import { mkdir, mkdtemp, open as openFile, readFile as read, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, silentLogger, systemClock } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { TopicsJsonSource } from '../src/topics-json-source.js';
import { topicsJsonText } from './topics-json-text.js';

describe('TopicsJsonSource', () => {
  let directory: string;
  let path: string;
  let source: TopicsJsonSource;
  let warnings: string[];
  let changes: number;
  let changed: Promise<void>;

  /** Its next change is `changed`, awaited after what causes it. */
  const expectChange = (): void => {
    changed = new Promise((resolve) => {
      onChange = resolve;
    });
  };
  let onChange: () => void;

  const open = (clock: Clock = systemClock): Promise<void> => {
    const logger = {
      ...silentLogger,
      warn: (fields: object) => warnings.push((fields as { problem: string }).problem),
    };
    source = new TopicsJsonSource({ path, clock, logger, debounceMillis: 5 });
    return source.start(() => {
      changes += 1;
      onChange();
    });
  };
  const topics = (): string[] | undefined =>
    source.current === undefined ? undefined : [...source.current.table.keys()];
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${path}.tmp`, text);
    await rename(`${path}.tmp`, path);
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
    path = join(directory, 'topics.json');
    warnings = [];
    changes = 0;
    expectChange();
  });
  afterEach(async () => {
    source.close();
    await rm(directory, { recursive: true });
  });

  it('follows a file that is absent, made, half written, removed, renamed into place and overwritten (R30)', async () => {
    await open();
    expect(topics()).to.deep.equal([]);
    await writeFile(path, topicsJsonText(['A'], 1));
    await changed;
    expect(topics()).to.deep.equal(['A']);

    await writeFile(path, topicsJsonText(['A', 'B'], 2).slice(0, 100));
    await source.look();
    expect(topics()).to.deep.equal(['A']);
    expect(warnings).to.have.length(1);

    await rm(path);
    await source.look();
    expect(topics()).to.deep.equal(['A']);
    expect(warnings[1]).to.equal('there is no such file');
    expect(changes).to.equal(1);

    expectChange();
    await replace(topicsJsonText(['A', 'B'], 2));
    await changed;
    expect(topics()).to.deep.equal(['A', 'B']);

    expectChange();
    await writeFile(path, topicsJsonText(['B'], 3));
    await changed;
    expect(topics()).to.deep.equal(['B']);
    expect(source.current?.dataVersion?.counter).to.equal(3);
    expect(changes).to.equal(3);
  });

  it('tells nobody of another version of the same table', async () => {
    await writeFile(path, topicsJsonText(['A'], 1));
    await open();
    await replace(topicsJsonText(['A'], 2));
    await source.look();
    expect(changes).to.equal(0);
    expect(source.current?.dataVersion?.counter).to.equal(2);
  });

  it('takes the backup at the start when the file is missing or torn, and the file once it is good', async () => {
    await writeFile(`${path}.bak`, topicsJsonText(['Old'], 1));
    await open();
    expect(topics()).to.deep.equal(['Old']);
    source.close();
    await writeFile(path, '{"dataVersion":');
    await open();
    expect(topics()).to.deep.equal(['Old']);
    await replace(topicsJsonText(['New'], 2));
    await changed;
    expect(topics()).to.deep.equal(['New']);
  });

  it('has no table, not an empty one, for a file torn at the start', async () => {
    await writeFile(path, '{"dataVersion":');
    await open();
    expect(topics()).to.equal(undefined);
    expect(warnings).to.have.length(1);
    await rm(path);
    await source.look();
    expect(topics()).to.equal(undefined);
    await replace(topicsJsonText([], 2));
    await changed;
    expect(topics()).to.deep.equal([]);
  });

  it('never goes back to the backup later', async () => {
    await writeFile(path, topicsJsonText(['New'], 2));
    await open();
    await writeFile(`${path}.bak`, topicsJsonText(['Old'], 1));
    await rm(path);
    await source.look();
    expect(topics()).to.deep.equal(['New']);
  });

  it('complains once about a file that is slowly written, whatever its length, and once that it is absent, until it is whole', async () => {
    await writeFile(path, topicsJsonText(['A'], 1));
    await open();
    const whole = topicsJsonText(['A', 'B'], 2);
    for (const length of [0, 1, 30, 100, 200]) {
      await rm(path, { force: true });
      await source.look();
      await replace(whole.slice(0, length));
      await source.look();
    }
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.equal('there is no such file');
    await replace(whole);
    await source.look();
    await replace('x');
    await source.look();
    expect(warnings).to.have.length(3);
  });

  it('complains once about the same problem', async () => {
    await writeFile(path, topicsJsonText(['A'], 1));
    await open();
    for (let time = 1; time <= 3; time++) {
      await replace('x');
      await source.look();
    }
    expect(warnings).to.have.length(1);
  });

  it('finds a directory that is made later, and one that replaced it, by looking now and then', async () => {
    const clock = new ManualClock();
    path = join(directory, 'config', 'topics.json');
    await open(clock);
    expect(topics()).to.deep.equal([]);
    await mkdir(join(directory, 'config'));
    await writeFile(path, topicsJsonText(['A'], 1));
    clock.advance(5_000);
    await changed;
    expect(topics()).to.deep.equal(['A']);

    expectChange();
    await rename(join(directory, 'config'), join(directory, 'old'));
    await mkdir(join(directory, 'config'));
    await writeFile(path, topicsJsonText(['B'], 2));
    clock.advance(5_000);
    await changed;
    expect(topics()).to.deep.equal(['B']);
  });

  it('follows a link that is turned to another directory', async () => {
    await mkdir(join(directory, '1'));
    await mkdir(join(directory, '2'));
    await writeFile(join(directory, '1', 'topics.json'), topicsJsonText(['A'], 1));
    await writeFile(join(directory, '2', 'topics.json'), topicsJsonText(['B'], 2));
    await symlink('1', join(directory, 'data'));
    await symlink(join('data', 'topics.json'), path);
    await open();
    await symlink('2', join(directory, 'data.tmp'));
    await rename(join(directory, 'data.tmp'), join(directory, 'data'));
    await changed;
    expect(topics()).to.deep.equal(['B']);
  });

  it('waits until the directory is quiet', async () => {
    const clock = new ManualClock();
    await writeFile(path, topicsJsonText(['A'], 1));
    await open(clock);
    expect(clock.pendingTimers).to.equal(1);
    await replace(topicsJsonText(['B'], 2));
    while (clock.pendingTimers === 1) await new Promise((resolve) => setImmediate(resolve));
    expect(topics()).to.deep.equal(['A']);
    clock.advance(5);
    await changed;
    expect(topics()).to.deep.equal(['B']);
  });

  it('leaves no timer behind', async () => {
    const clock = new ManualClock();
    await open(clock);
    source.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('keeps the last good table while the disk does not answer, says so, and begins no second look', async () => {
    const clock = new ManualClock();
    await writeFile(path, topicsJsonText(['A'], 1));
    let reads = 0;
    let answer = (): void => {};
    const readFile = async (file: string): Promise<Uint8Array> => {
      reads += 1;
      if (reads > 1) await new Promise<void>((resolve) => (answer = resolve));
      return await read(file);
    };
    const logger = {
      ...silentLogger,
      warn: (fields: object) => warnings.push((fields as { problem: string }).problem),
    };
    source = new TopicsJsonSource({ path, clock, logger, debounceMillis: 5, readFile });
    await source.start(() => onChange());
    await writeFile(path, topicsJsonText(['A', 'B'], 2));
    const looked = source.look();
    while (reads < 2) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(15_000);
    expect(topics()).to.deep.equal(['A']);
    expect(warnings).to.deep.equal(['the file system does not answer']);
    expect([source.problem, source.errors, source.lastGoodMillis, reads]).to.deep.equal([warnings[0], 3, 0, 2]);
    answer();
    await looked;
    await changed;
    expect(topics()).to.deep.equal(['A', 'B']);
    expect([source.problem, source.lastGoodMillis]).to.deep.equal([undefined, 15_000]);
  });

  it('does not read a file that is larger than any table', async () => {
    const file = await openFile(path, 'w');
    await file.truncate(300 << 20);
    await file.close();
    await open();
    expect([topics(), source.problem]).to.deep.equal([undefined, 'it is larger than 256 MiB']);
    expect(warnings).to.deep.equal(['it is larger than 256 MiB']);
    await replace(topicsJsonText(['A'], 1));
    await changed;
    expect(topics()).to.deep.equal(['A']);
  });

  it('reads a file again that could not be read, though the file stays as it is', async () => {
    await writeFile(path, topicsJsonText(['A'], 1));
    let failure: NodeJS.ErrnoException | undefined = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
    const readFile = async (file: string): Promise<Uint8Array> => {
      if (failure !== undefined) throw failure;
      return await read(file);
    };
    const clock = new ManualClock();
    source = new TopicsJsonSource({ path, clock, logger: silentLogger, debounceMillis: 5, readFile });
    await source.start(() => onChange());
    expect([topics(), source.problem]).to.deep.equal([undefined, 'EMFILE']);
    failure = undefined;
    await source.look();
    await changed;
    expect([topics(), source.problem]).to.deep.equal([['A'], undefined]);
  });
});
