import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Of the kernel's; larger is later. */
const LAST_NICENESS = 19;

/**
 * Lets the threads that V8 and Node have beside the one that serves (compiler, garbage collector, files) wait for it where they share a processor,
 * as in a container that has but one: there they kept it from answering for up to 25 ms while a large broker registered. They still get some tenth
 * of the processor, and all of the others. On Linux, where a thread has a niceness of its own; elsewhere, and where it is not allowed, all stays as it is.
 *
 * Goes for the threads that there are, and so is to be called once the process has begun.
 */
export function favourMainThread(): void {
  if (process.platform !== 'linux') return;
  const niceness = Math.min(LAST_NICENESS, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL);
  for (const id of threads()) {
    try {
      if (id !== process.pid) setPriority(id, niceness);
    } catch {
      // One that has ended, or a process that may not: nothing depends on it.
    }
  }
}

function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [];
  }
}
