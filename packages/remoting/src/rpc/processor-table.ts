import type { RequestProcessor } from './request-processor.js';

/** Which processor answers which request code, and the one that answers the rest (upstream: `processorTable`). */
export class ProcessorTable {
  readonly #byCode = new Map<number, RequestProcessor>();
  #default: RequestProcessor | undefined;

  /** A later registration of a code takes the place of an earlier one. */
  register(code: number, processor: RequestProcessor): void {
    this.#byCode.set(code, processor);
  }

  registerDefault(processor: RequestProcessor): void {
    this.#default = processor;
  }

  find(code: number): RequestProcessor | undefined {
    return this.#byCode.get(code) ?? this.#default;
  }

  /** The codes that have a processor of their own, ascending. */
  codes(): number[] {
    return [...this.#byCode.keys()].sort((a, b) => a - b);
  }
}
