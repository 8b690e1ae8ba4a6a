import { type ApacheProcesses, type ApacheVersion, type CapturedProcess, timed } from '@rmqns/test-kit';

const END = '\u0004END';
/** Some commands send to brokers, and give up only after a while. */
const COMMAND_TIMEOUT_MILLIS = 60_000;

/** A JVM of the kit that runs mqadmin commands one after the other. */
export class AdminShell {
  readonly #process: CapturedProcess;
  #lines: string[] = [];
  #ended: (text: string) => void = () => {};

  private constructor(start: (onLine: (line: string) => void) => CapturedProcess) {
    this.#process = start((line) => {
      if (line !== END) {
        this.#lines.push(line);
        return;
      }
      const text = this.#lines.join('\n');
      this.#lines = [];
      this.#ended(text);
    });
  }

  /** It ends with the processes of `apache`. */
  static start(apache: ApacheProcesses, version: ApacheVersion): AdminShell {
    return new AdminShell((onLine) => apache.startAdminShell(version, onLine));
  }

  /** Runs one command; what it printed. Without arguments mqadmin lists its commands. */
  async run(...args: readonly string[]): Promise<string> {
    const text = new Promise<string>((resolve) => {
      this.#ended = resolve;
    });
    this.#process.writeLine(args.join('\t'));
    const ended = this.#process.exited.then(() => {
      throw new Error(`mqadmin ${args.join(' ')} ended the JVM\n${this.#process.tail()}`);
    });
    return await timed(
      Promise.race([text, ended]),
      COMMAND_TIMEOUT_MILLIS,
      () => `mqadmin ${args.join(' ')} has not ended\n${this.#process.tail()}`,
    );
  }
}
