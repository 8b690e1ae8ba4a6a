import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** A million topics; the program that a wrong path leads to something larger must not grow with it. */
const MAX_MEBIBYTES = 256;

/**
 * Reads a whole file, and nothing but a file: a pipe would keep a thread of the pool waiting for a writer, and with it the end of the
 * process; a device has no end.
 *
 * @param maxMebibytes what is larger is not read; default 256
 * @throws the file system's error; an error with a sentence for what is no regular file or too large
 */
export async function readRegularFile(path: string, maxMebibytes = MAX_MEBIBYTES): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error(`it is ${status.isDirectory() ? 'a directory' : 'no regular file'}`);
    if (status.size > maxMebibytes * 1_048_576) throw new Error(`it is larger than ${maxMebibytes} MiB`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
