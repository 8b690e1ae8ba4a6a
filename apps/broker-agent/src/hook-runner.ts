import type { Clock, Logger } from '@rmqns/remoting';
import { attempt } from './attempt.js';
import type { HookConfig } from './hook-config.js';
import { httpPost } from './http-post.js';
import { runCommand } from './run-command.js';
import { urlName } from './url-name.js';

/** What a hook is told. */
export interface HookMessage {
  /** One object, for stdin or as the body. */
  readonly json: string;
  /** Added to the environment of a program. */
  readonly variables: Readonly<Record<string, string>>;
}

/** `failed`: a program that did not end with 0, an answer that was not 2xx. `dropped`: more came than the hook could take, or it was ended. */
export type HookResult = 'ok' | 'failed' | 'timeout' | 'dropped';

export interface HookRunnerOptions {
  readonly hook: HookConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each run, and of each message that is dropped. */
  readonly onResult: (name: string, result: HookResult) => void;
  /** Nothing is run before it settles. Default: at once. */
  readonly after?: Promise<unknown> | undefined;
}

/** What may wait for a hook that is busy; beyond it the oldest is dropped. */
const MAX_WAITING = 100;

/** How long a hook that is no longer wanted has for what waits for it. */
const MAX_FINISH_MILLIS = 30_000;

/** Runs one hook, once at a time and in order, and never keeps anybody waiting. */
export class HookRunner {
  readonly name: string;
  readonly hook: HookConfig;
  readonly #options: HookRunnerOptions;
  readonly #waiting: HookMessage[] = [];
  readonly #closing = new AbortController();
  /** What the hook is being told. */
  #current: HookMessage | undefined;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(options: HookRunnerOptions) {
    const { hook } = options;
    this.hook = hook;
    this.name = hook.kind === 'exec' ? `exec ${hook.command[0]}` : `webhook ${urlName(hook.url)}`;
    this.#options = options;
  }

  /** Tells the hook, as soon as it is not busy. */
  run(message: HookMessage): void {
    if (this.#closing.signal.aborted) return;
    if (this.#waiting.length === MAX_WAITING) {
      this.#waiting.shift();
      this.#result('dropped', `more than ${MAX_WAITING} wait for it`);
    }
    this.#waiting.push(message);
    if (!this.#isRunning) this.#running = this.#runAll();
  }

  /** Settles when the hook was told of all that waits, after 30 s at most: then it is ended. Never rejects. */
  async finish(): Promise<void> {
    const late = this.#options.clock.setTimeout(
      () => this.#end(`it is no longer configured, and was not done within ${MAX_FINISH_MILLIS} ms`),
      MAX_FINISH_MILLIS,
      true,
    );
    await this.#running;
    late.cancel();
  }

  /** What waits is dropped, and a program that runs is killed with all that it started; the log says so. */
  close(): void {
    this.#end('the agent stops');
  }

  #end(reason: string): void {
    if (this.#closing.signal.aborted) return;
    const { logger, onResult } = this.#options;
    const dropped = this.#waiting.splice(0).length + (this.#current === undefined ? 0 : 1);
    this.#closing.abort(new Error(reason));
    if (dropped === 0) return;
    logger.warn({ hook: this.name, dropped, reason }, 'the hook is ended before it was told everything');
    for (let count = 0; count < dropped; count += 1) onResult(this.name, 'dropped');
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    const { after } = this.#options;
    if (after !== undefined) await after;
    for (;;) {
      this.#current = this.#waiting.shift();
      if (this.#current === undefined) break;
      await this.#runOnce(this.#current);
    }
    this.#isRunning = false;
  }

  async #runOnce(message: HookMessage): Promise<void> {
    const { hook } = this;
    const { clock } = this.#options;
    let isOver = false;
    const task = async (signal: AbortSignal): Promise<string | undefined> => {
      signal.addEventListener('abort', () => (isOver = true), { once: true });
      return hook.kind === 'exec'
        ? await runProgram(hook.command, message, signal)
        : await post(hook.url, message, signal);
    };
    try {
      const problem = await attempt(task, hook.timeoutMillis, clock, this.#closing.signal);
      this.#result(problem === undefined ? 'ok' : 'failed', problem);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#result(isOver ? 'timeout' : 'failed', error instanceof Error ? error.message : String(error));
    }
  }

  #result(result: HookResult, problem: string | undefined): void {
    const { logger, onResult } = this.#options;
    if (result === 'ok') logger.debug({ hook: this.name }, 'the hook ran');
    else logger.warn({ hook: this.name, result, problem }, 'the hook did not do its work');
    onResult(this.name, result);
  }
}

/** @returns what was wrong */
async function runProgram(
  command: readonly string[],
  { json, variables }: HookMessage,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Nobody reads what it says, however much it is.
  const { exitCode, stderr } = await runCommand(command, 0, signal, { input: json, variables, dropsRest: true });
  if (exitCode === 0) return undefined;
  return `it ended ${exitCode === undefined ? 'by a signal' : `with ${exitCode}`}${stderr === '' ? '' : `: ${stderr}`}`;
}

async function post(url: string, { json }: HookMessage, signal: AbortSignal): Promise<string | undefined> {
  const status = await httpPost(url, json, signal);
  return status >= 200 && status < 300 ? undefined : `it answered with status ${status}`;
}
