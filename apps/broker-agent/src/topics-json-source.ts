import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFileError } from '@rmqns/program';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import { readRegularFile } from './read-regular-file.js';
import { sameTopicConfigTable } from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';
import { decodeTopicsJson, type SourceTopics } from './topics-json.js';

export interface TopicsJsonSourceOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the directory must be quiet before the file is read. */
  readonly debounceMillis: number;
  /** How often to look without being told, since not every file system tells. Default 5000. */
  readonly pollMillis?: number | undefined;
  /** Default {@link readRegularFile}. */
  readonly readFile?: ((path: string) => Promise<Uint8Array>) | undefined;
}

type Looked =
  | { readonly topics: SourceTopics }
  | { readonly absent: true }
  /** A file that is being written is torn at another place each time, for the same cause. */
  | { readonly problem: string; readonly cause: string; readonly isUnread: boolean };

const ABSENT = 'there is no such file';
const SILENT_DISK = 'the file system does not answer';

/**
 * A broker's `topics.json`, followed as brokers write it: 4.x delete the old file before they rename the new one into its place, 5.3.3
 * overwrites in place (reference: broker registration 6.1). So an absent, torn or foreign file leaves the last good table as it was. Only
 * at the start the `.bak` beside it is tried, and a file that is not there and has no `.bak` may mean a broker without topics of its own.
 */
export class TopicsJsonSource implements TopicSource {
  readonly name: string;
  readonly #options: TopicsJsonSourceOptions;
  problem: string | undefined;
  errors = 0;
  lastGoodMillis: number | undefined;
  #current: SourceTopics | undefined;
  #onChange = (): void => {};
  #watcher: FSWatcher | undefined;
  #watchedDirectory: string | undefined;
  #poll: Timer | undefined;
  #debounce: Timer | undefined;
  /** The last file looked at: unchanged, it is not read again. */
  #seen: string | undefined;
  /** Why it could not be read since it last could: each is told once. */
  readonly #complainedOf = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  /** Why the file as it was seen last is not good. */
  #problemOfFile: string | undefined;
  /** A look that has not begun yet, which does for all who ask meanwhile. */
  #nextLook: Promise<void> | undefined;
  /** Whether a look began and is not over. */
  #isLooking = false;
  #closed = false;

  constructor(options: TopicsJsonSourceOptions) {
    this.name = options.path;
    this.#options = options;
  }

  get current(): SourceTopics | undefined {
    return this.#current;
  }

  async start(onChange: () => void): Promise<void> {
    const { clock, pollMillis = 5_000 } = this.#options;
    this.#onChange = onChange;
    this.#poll = clock.setInterval(() => {
      if (this.#isLooking) this.#complain(SILENT_DISK, SILENT_DISK);
      void this.look();
    }, pollMillis);
    this.#looking = this.#busy(async () => {
      await this.#watchDirectory();
      await this.#lookFirst();
    });
    await this.#looking;
  }

  /** Looks whether the file changed, now. Settles when that is known and told. */
  look(): Promise<void> {
    if (this.#nextLook !== undefined) return this.#nextLook;
    this.#nextLook = this.#looking.then(async () => {
      this.#nextLook = undefined;
      if (this.#closed) return;
      await this.#busy(async () => {
        await this.#watchDirectory();
        await this.#lookAgain();
      });
    });
    this.#looking = this.#nextLook;
    return this.#looking;
  }

  async #busy(look: () => Promise<void>): Promise<void> {
    this.#isLooking = true;
    await look();
    this.#isLooking = false;
  }

  close(): void {
    this.#closed = true;
    this.#poll?.cancel();
    this.#debounce?.cancel();
    this.#watcher?.close();
  }

  /** Watches the directory, not the file, which is another after each rename; and the directory anew when it is another. */
  async #watchDirectory(): Promise<void> {
    const directory = dirname(this.name);
    const identity = await identify(directory);
    if (identity === this.#watchedDirectory || this.#closed) return;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watchedDirectory = undefined;
    if (identity === undefined) return;
    try {
      // Any change counts, since a link somewhere on the way may be what changed; an unchanged file is not read for it.
      const watcher = watch(directory, { persistent: false }, () => this.#lookSoon());
      watcher.on('error', () => {
        watcher.close();
        this.#watchedDirectory = undefined;
      });
      this.#watcher = watcher;
      this.#watchedDirectory = identity;
    } catch (error) {
      // The poll goes on without it, and tries again.
      this.#options.logger.debug({ directory, error: describeFileError(error) }, 'cannot watch the directory');
    }
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#debounce?.cancel();
    this.#debounce = this.#options.clock.setTimeout(() => void this.look(), this.#options.debounceMillis, true);
  }

  async #lookFirst(): Promise<void> {
    const found = await this.#read();
    if (found === undefined) return;
    if ('topics' in found) {
      this.#current = found.topics;
      this.#good();
      return;
    }
    const backup = await this.#readTopics(`${this.name}.bak`);
    if ('topics' in backup) this.#current = backup.topics;
    else if ('absent' in found && 'absent' in backup) {
      this.#current = { table: new Map(), absent: true };
      this.#good();
    }
    if ('problem' in found) this.#complain(found.problem, found.cause);
    if ('topics' in backup)
      this.#options.logger.info(
        { file: `${this.name}.bak`, topics: backup.topics.table.size },
        'took the topics of the backup',
      );
    else if ('absent' in found) this.#options.logger.info({ file: this.name }, 'there is no topics.json yet');
  }

  async #lookAgain(): Promise<void> {
    const found = await this.#read();
    if (this.#closed) return;
    if (found === undefined) return this.#sameAgain();
    if ('problem' in found) return this.#complain(found.problem, found.cause);
    if ('absent' in found) {
      if (this.#current === undefined || this.#current.table.size > 0) this.#complain(ABSENT, ABSENT);
      else this.#good();
      return;
    }
    this.#good();
    const before = this.#current;
    this.#current = found.topics;
    if (before === undefined || before.absent === true || !sameTopicConfigTable(before.table, found.topics.table))
      this.#onChange();
  }

  /** The file is the one that was looked at last: it is as good as it was then. */
  #sameAgain(): void {
    if (this.problem === SILENT_DISK) this.problem = this.#problemOfFile;
    if (this.problem === undefined) this.#good();
    else this.errors += 1;
  }

  #good(): void {
    if (this.#complainedOf.size > 0) this.#options.logger.info({ file: this.name }, 'topics.json is readable again');
    this.#complainedOf.clear();
    this.problem = undefined;
    this.#problemOfFile = undefined;
    this.lastGoodMillis = this.#options.clock.monotonic();
  }

  /** `undefined`: the file is the one that was looked at last. */
  async #read(): Promise<Looked | undefined> {
    // Before reading: a change while reading makes the next look see another file.
    const identity = (await identify(this.name)) ?? 'absent';
    if (identity === this.#seen) return undefined;
    this.#seen = identity;
    const looked = await this.#readTopics(this.name);
    // What kept it from being read may be over though the file stays as it is: a bad disk, too many open files.
    if ('problem' in looked && looked.isUnread) this.#seen = undefined;
    return looked;
  }

  async #readTopics(path: string): Promise<Looked> {
    let bytes: Uint8Array;
    try {
      bytes = await (this.#options.readFile ?? readRegularFile)(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { absent: true };
      const problem = describeFileError(error);
      return { problem, cause: problem, isUnread: true };
    }
    try {
      return { topics: decodeTopicsJson(bytes) };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { problem, cause: 'it is torn or another file', isUnread: false };
    }
  }

  #complain(problem: string, cause: string): void {
    this.errors += 1;
    this.problem = problem;
    if (problem !== SILENT_DISK) this.#problemOfFile = problem;
    if (this.#complainedOf.has(cause)) return;
    this.#complainedOf.add(cause);
    const kept = this.#current?.table.size;
    const message =
      kept === undefined ? 'cannot read topics.json' : 'cannot read topics.json, the last good table stays';
    this.#options.logger.warn({ file: this.name, problem, topics: kept }, message);
  }
}

/** Which file this is and in which state; `undefined` when there is none. */
async function identify(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, isDirectory } = await statBig(path);
    return isDirectory ? `${dev}:${ino}` : `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch {
    return undefined;
  }
}

async function statBig(path: string) {
  const stats = await stat(path, { bigint: true });
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return { dev, ino, size, mtimeNs, ctimeNs, isDirectory: stats.isDirectory() };
}
