import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = join(tmpdir(), 'rmqns-test-');

/** A fresh directory that is removed, with all in it, when its owner disposes of it. */
export class TemporaryDirectory implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TemporaryDirectory> {
    return new TemporaryDirectory(await mkdtemp(prefix));
  }

  static createSync(): TemporaryDirectory {
    return new TemporaryDirectory(mkdtempSync(prefix));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process that was just killed may still be seen writing: rm tries again a few times.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
