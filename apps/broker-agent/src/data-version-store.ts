import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeFileError } from '@rmqns/program';
import {
  decodeRegisterBrokerBody,
  encodeRegisterBrokerBody,
  MqVersion,
  type TopicConfigSerializeWrapper,
} from '@rmqns/protocol';
import { jsonField, parseFastJson, toInt32, toObject } from '@rmqns/remoting/json';
import { readRegularFile } from './read-regular-file.js';

/** The file of the state directory. */
const STATE_FILE = 'registered-topics.json';

/** What was found on the disk. */
export interface StoredRegistration {
  /** `undefined`: none, or none that can be read. */
  readonly wrapper: TopicConfigSerializeWrapper | undefined;
  /** The broker's permission under which that was registered; `undefined` where nobody noted it. */
  readonly brokerPermission?: number | undefined;
  /** Why a file that is there cannot be used. */
  readonly problem?: string | undefined;
}

/**
 * Keeps the table last registered, the broker's permission then and their data version over restarts: the body of that registration in
 * JSON, with a field `brokerPermission`. A write replaces the whole
 * file or leaves the old one, also where several have the same directory; nobody but its owner may read it.
 */
export class DataVersionStore {
  readonly path: string;
  readonly directory: string;
  readonly #storeDirectory: string | undefined;

  /** @param storeDirectory is in its place, and not made, before anything is made in it */
  constructor(directory: string, storeDirectory?: string | undefined) {
    this.directory = directory;
    this.#storeDirectory = storeDirectory;
    this.path = join(directory, STATE_FILE);
  }

  async load(): Promise<StoredRegistration> {
    let bytes: Uint8Array;
    try {
      bytes = await readRegularFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { wrapper: undefined };
      return { wrapper: undefined, problem: describeFileError(error) };
    }
    try {
      if (bytes.length === 0) return { wrapper: undefined, problem: 'it is empty' };
      const options = { compressed: false, requestVersion: MqVersion.V5_3_3, nowMillis: 0 };
      const { topicConfigSerializeWrapper: wrapper } = decodeRegisterBrokerBody(bytes, options);
      return { wrapper, brokerPermission: decodeBrokerPermission(bytes) };
    } catch (error) {
      return { wrapper: undefined, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /**
   * Makes the state directory where it is missing, and tries whether files can be made in it.
   *
   * @throws the file system's error when this user may not write there, or the store is not there
   */
  async prepare(): Promise<void> {
    if (this.#storeDirectory !== undefined) await access(this.#storeDirectory);
    await mkdir(dirname(this.directory), { recursive: true });
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const temporary = this.#temporaryPath();
    const file = await open(temporary, 'wx', 0o600);
    await file.close();
    await rm(temporary, { force: true });
  }

  /**
   * Removes what a process left that ended while it wrote. Another one that writes at this moment writes once more. What cannot be removed
   * stays.
   */
  async removeRemains(): Promise<void> {
    const names = await readdir(this.directory).catch(() => []);
    const remains = names.filter((name) => name.startsWith(`${STATE_FILE}.`) && name.endsWith('.tmp'));
    for (const name of remains) await rm(join(this.directory, name), { force: true }).catch(() => {});
  }

  /**
   * Makes the state directory again where it is gone, but not the store that it is in.
   *
   * @throws the file system's error; the old file is then as it was
   */
  async save(wrapper: TopicConfigSerializeWrapper, brokerPermission: number): Promise<void> {
    try {
      await this.#write(wrapper, brokerPermission);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await this.prepare();
      await this.#write(wrapper, brokerPermission);
    }
  }

  async #write(wrapper: TopicConfigSerializeWrapper, brokerPermission: number): Promise<void> {
    const body = { topicConfigSerializeWrapper: wrapper, filterServerList: [] };
    const temporary = this.#temporaryPath();
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        const json = encodeRegisterBrokerBody(body, { compressed: false, fiveX: true });
        // One more field of the same object.
        await file.writeFile(
          Buffer.concat([Buffer.from(`{"brokerPermission":${brokerPermission},`), json.subarray(1)]),
        );
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Another one each time: two agents may have one directory by mistake, and in containers even one process id. */
  #temporaryPath(): string {
    return `${this.path}.${randomUUID()}.tmp`;
  }
}

function decodeBrokerPermission(bytes: Uint8Array): number | undefined {
  const object = toObject(parseFastJson(Buffer.from(bytes).toString('utf8')), 'the registration');
  return object == null ? undefined : toInt32(jsonField(object, 'brokerPermission'), 'brokerPermission');
}
