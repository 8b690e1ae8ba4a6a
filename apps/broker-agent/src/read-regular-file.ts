import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a whole file, and nothing but a file: a pipe would keep a thread of the pool waiting for a writer, and with it the end of the
 * process; a device has no end.
 *
 * @throws the file system's error; an error with a sentence for what is no regular file
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error(`it is ${status.isDirectory() ? 'a directory' : 'no regular file'}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
