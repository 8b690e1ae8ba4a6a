import { spawn } from 'node:child_process';
import type { Clock, Logger, Timer } from '@rmqns/remoting';

export interface SystemdNotifierOptions {
  /** Of the process: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Tells systemd how the service is, by its own program `systemd-notify`, since Node has no datagram sockets of the Unix domain; the unit has
 * `NotifyAccess=all` for that. Where systemd did not start this process nothing is told.
 */
export class SystemdNotifier {
  readonly #options: SystemdNotifierOptions;
  readonly #watchdog: Timer | undefined;
  /** Messages reach systemd in their order. */
  #telling: Promise<void> = Promise.resolve();
  #isBeating = false;
  #isStopping = false;
  #complained = false;

  constructor(options: SystemdNotifierOptions) {
    this.#options = options;
    const periodMillis = watchdogMillis(options) / 2;
    if (this.#isUsed && periodMillis > 0)
      this.#watchdog = options.clock.setInterval(() => this.#beat(), periodMillis, true);
  }

  get #isUsed(): boolean {
    return (this.#options.variables['NOTIFY_SOCKET'] ?? '') !== '';
  }

  /** It started, or took its configuration again; nothing once it stops. */
  ready(): void {
    if (!this.#isStopping) this.#tell('READY=1');
  }

  reloading(): void {
    const micros = Math.floor(this.#options.clock.monotonic() * 1_000);
    this.#tell('RELOADING=1', `MONOTONIC_USEC=${micros}`);
  }

  stopping(): void {
    this.#isStopping = true;
    this.#tell('STOPPING=1');
  }

  /** Settles when what was told is on its way. */
  async close(): Promise<void> {
    this.#watchdog?.cancel();
    await this.#telling;
  }

  /** One at a time: a machine too busy to start a program is not given more of them. */
  #beat(): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#tell('WATCHDOG=1');
    void this.#telling.then(() => {
      this.#isBeating = false;
    });
  }

  #tell(...variables: readonly string[]): void {
    if (!this.#isUsed) return;
    this.#telling = this.#telling.then(() => this.#run(variables));
  }

  #run(variables: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const child = spawn('systemd-notify', variables, { stdio: 'ignore', timeout: 2_000, killSignal: 'SIGKILL' });
      child.on('error', (error) => {
        this.#complain(error.message);
        resolve();
      });
      child.on('exit', (code, signal) => {
        if (code !== 0) this.#complain(`it ended with ${code ?? signal}`);
        resolve();
      });
    });
  }

  #complain(problem: string): void {
    if (!this.#complained) this.#options.logger.warn({ problem }, 'systemd-notify cannot tell systemd of this service');
    this.#complained = true;
  }
}

/** How often systemd wants a sign of life; 0: never. */
function watchdogMillis({ variables, pid }: SystemdNotifierOptions): number {
  const watched = variables['WATCHDOG_PID'];
  if (watched !== undefined && watched !== String(pid)) return 0;
  const micros = Number(variables['WATCHDOG_USEC'] ?? 0);
  return Number.isFinite(micros) ? micros / 1_000 : 0;
}
