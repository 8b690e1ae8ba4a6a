import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a whole file that is to be there when the configuration is read: a certificate, a key, a password. What is no file is not waited
 * for, as a pipe would be.
 *
 * @throws the file system's error; an error with a sentence for what is no regular file or larger than `maxBytes`
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const status = fstatSync(fd);
    if (!status.isFile()) throw new Error('it is no regular file');
    if (status.size > maxBytes) throw new Error(`it has ${status.size} bytes, more than ${maxBytes}`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
