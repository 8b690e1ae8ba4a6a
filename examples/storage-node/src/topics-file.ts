import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TopicConfig } from '@rmqns/protocol';

interface TopicsFile {
  readonly dataVersion: { readonly counter: number; readonly timestamp: number };
  readonly topicConfigTable: Readonly<Record<string, TopicConfig>>;
}

/**
 * Keeps `<storeDirectory>/config/topics.json` as a broker does, so that an agent beside this node can register its topics (reference:
 * broker-registration 6.1). Its data version moves on only when the topics differ from those in the file; the file is replaced by
 * rename, so nobody sees half of it.
 */
export async function keepTopicsFile(
  storeDirectory: string,
  topics: ReadonlyMap<string, TopicConfig>,
  nowMillis: number,
): Promise<void> {
  const directory = join(storeDirectory, 'config');
  const path = join(directory, 'topics.json');
  const last = await readTopicsFile(path);
  const topicConfigTable = Object.fromEntries([...topics].sort(([a], [b]) => (a < b ? -1 : 1)));
  if (last !== undefined && JSON.stringify(last.topicConfigTable) === JSON.stringify(topicConfigTable)) return;
  const dataVersion = { counter: (last?.dataVersion.counter ?? 0) + 1, timestamp: nowMillis };
  const file: TopicsFile = { dataVersion, topicConfigTable };
  await mkdir(directory, { recursive: true });
  await writeFile(`${path}.tmp`, JSON.stringify(file, undefined, '\t'));
  await rename(`${path}.tmp`, path);
}

/** `undefined` when there is none yet. One that is no JSON is an error: overwriting it would set its version back. */
async function readTopicsFile(path: string): Promise<TopicsFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as TopicsFile;
  } catch (error) {
    throw new Error(`${path} holds no JSON; repair or remove it`, { cause: error });
  }
}
