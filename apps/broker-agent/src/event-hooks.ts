import { isDeepStrictEqual } from 'node:util';
import type { HookConfig } from './hook-config.js';
import { type HookMessage, HookRunner, type HookRunnerOptions } from './hook-runner.js';

/** The hooks of one event. What they are told stays in order, also where a new configuration has others. */
export class EventHooks {
  readonly #options: Omit<HookRunnerOptions, 'hook' | 'after'>;
  #runners: readonly HookRunner[] = [];
  /** Those of former configurations that still have something to do. */
  readonly #finishing = new Map<HookRunner, Promise<void>>();

  constructor(options: Omit<HookRunnerOptions, 'hook' | 'after'>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#runners.length === 0;
  }

  /** Hooks that are gone are told first what waits for them, and new ones only then. Those that stay go on. */
  update(wanted: readonly HookConfig[]): void {
    const gone = [...this.#runners];
    const kept = wanted.map((hook) => {
      const index = gone.findIndex((runner) => isDeepStrictEqual(runner.hook, hook));
      return index < 0 ? undefined : gone.splice(index, 1)[0];
    });
    for (const runner of gone) this.#finish(runner);
    const after = this.#finishing.size === 0 ? undefined : Promise.all(this.#finishing.values());
    this.#runners = wanted.map((hook, index) => kept[index] ?? new HookRunner({ ...this.#options, hook, after }));
  }

  tell(message: HookMessage): void {
    for (const runner of this.#runners) runner.run(message);
  }

  /** What waits is dropped, and what runs is ended. */
  close(): void {
    for (const runner of [...this.#finishing.keys(), ...this.#runners]) runner.close();
  }

  #finish(runner: HookRunner): void {
    const finished = runner.finish().then(() => void this.#finishing.delete(runner));
    this.#finishing.set(runner, finished);
  }
}
