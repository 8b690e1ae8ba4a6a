import type { RequestProcessor } from './request-processor.js';
import type { WorkQueue } from './work-queue.js';

export interface ProcessorEntry {
  readonly processor: RequestProcessor;
  /** `undefined`: every request is worked on at once. */
  readonly queue: WorkQueue | undefined;
  /** The name of the command's definition, where it was registered with one. */
  readonly name: string | undefined;
}

/** Which processor answers which request code, and the one that answers the rest (upstream: `processorTable`). */
export class ProcessorTable {
  readonly #byCode = new Map<number, ProcessorEntry>();
  #default: ProcessorEntry | undefined;

  /** A later registration of a code takes the place of an earlier one. */
  register(code: number, processor: RequestProcessor, queue?: WorkQueue, name?: string): void {
    this.#byCode.set(code, { processor, queue, name });
  }

  registerDefault(processor: RequestProcessor, queue?: WorkQueue): void {
    this.#default = { processor, queue, name: undefined };
  }

  find(code: number): ProcessorEntry | undefined {
    return this.#byCode.get(code) ?? this.#default;
  }

  get hasDefault(): boolean {
    return this.#default !== undefined;
  }

  /** The codes that have a processor of their own, ascending. */
  codes(): number[] {
    return [...this.#byCode.keys()].sort((a, b) => a - b);
  }

  /** Every queue once. */
  queues(): Set<WorkQueue> {
    const queues = new Set<WorkQueue>();
    for (const { queue } of this.#byCode.values()) if (queue !== undefined) queues.add(queue);
    if (this.#default?.queue !== undefined) queues.add(this.#default.queue);
    return queues;
  }
}
