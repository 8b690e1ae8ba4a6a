import { BoundedOutput } from './bounded-output.js';
import { openFdWriter } from './fd-writer.js';

/** Prints the last words of a program; waits a second for them to be read, and no longer. */
export async function printLastLine(fd: 1 | 2, text: string): Promise<void> {
  const output = new BoundedOutput(openFdWriter(fd));
  output.write(`${text}\n`);
  await output.end(1_000);
}
