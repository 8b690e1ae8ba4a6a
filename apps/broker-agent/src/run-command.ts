import { spawn } from 'node:child_process';

export interface CommandResult {
  /** `undefined`: a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: Buffer;
  /** Its last part, as text without blanks around. */
  readonly stderr: string;
}

/** What a program is given. */
export interface CommandInput {
  /** On stdin, which ends after it; a program need not read it. Default nothing. */
  readonly input?: string | undefined;
  /** Added to the environment of this process. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Whether what it says beyond `maxOutputBytes` is dropped, and no failure: where the exit code is what counts. Default false. */
  readonly dropsRest?: boolean | undefined;
}

/** Process groups that run now. None of them outlives this process, except where that is killed. */
const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) killGroup(pid);
});

/** How much of stderr is kept. */
const STDERR_BYTES = 1_024;

/**
 * Runs a program, without a shell, in a process group of its own: when `signal` aborts, the whole group is killed, also what the program
 * started. Settles when the program ended and nobody holds its output any more.
 *
 * @throws an error with a sentence when it cannot be started, or says more than `maxOutputBytes` and is not to be cut; the signal's reason
 */
export function runCommand(
  command: readonly string[],
  maxOutputBytes: number,
  signal: AbortSignal,
  { input = '', variables = {}, dropsRest = false }: CommandInput = {},
): Promise<CommandResult> {
  const [file = '', ...args] = command;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...variables },
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      settled();
      reject(new Error(`cannot run ${file}: ${describeSpawnError(error)}`, { cause: error }));
    });
    if (child.pid !== undefined) running.add(child.pid);
    // Not there where the process has no file descriptors left, which is told as an error.
    const { stdin, stdout, stderr: errors }: Partial<typeof child> = child;
    // A program that reads none of it, or ended, is told by its exit code.
    stdin?.on('error', () => {}).end(input);
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = Buffer.alloc(0);
    const end = (error: unknown): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      for (const stream of [stdin, stdout, errors]) stream?.destroy();
      settled();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onAbort = (): void => end(signal.reason);
    const settled = (): void => {
      signal.removeEventListener('abort', onAbort);
      if (child.pid !== undefined) running.delete(child.pid);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stdout?.on('data', (chunk: Buffer) => {
      const room = maxOutputBytes - size;
      size += chunk.length;
      if (chunk.length <= room) chunks.push(chunk);
      else if (!dropsRest) end(new Error(`${file} printed more than ${maxOutputBytes} bytes`));
      else if (room > 0) chunks.push(chunk.subarray(0, room));
    });
    errors?.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_BYTES);
    });
    child.on('close', (code) => {
      settled();
      resolve({ exitCode: code ?? undefined, stdout: Buffer.concat(chunks), stderr: stderr.toString('utf8').trim() });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it ended.
  }
}

function describeSpawnError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such program';
  if (code === 'EACCES') return 'it may not be executed';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open';
  return code ?? message;
}
