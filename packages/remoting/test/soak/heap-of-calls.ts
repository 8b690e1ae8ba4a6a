import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process that called itself has told. */
export interface HeapOfCalls {
  readonly made: number;
  /** Bytes of the heap after a tenth of the calls, and after all, each after a collection. */
  readonly begun: number;
  readonly ended: number;
}

/** What the compiler of the engine keeps for code that became hot; a byte kept for each call would be seen in a long run. */
export const allowedGrowth = (calls: number): number => 512 * 1024 + calls / 10;

/** Lets a process make so many calls to itself. */
export async function heapOfCalls(calls: number): Promise<HeapOfCalls> {
  const child = fork(fileURLToPath(new URL('calling-process.js', import.meta.url)), [String(calls)], {
    execArgv: ['--expose-gc'],
  });
  const exited = once(child, 'exit');
  const [told] = (await once(child, 'message')) as [HeapOfCalls];
  const [code] = await exited;
  if (code !== 0) throw new Error(`the process ended with ${code}`);
  return told;
}
