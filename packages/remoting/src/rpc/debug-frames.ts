import type { Channel } from '../channel/channel.js';
import { readDebugEnvironment } from '../debug-environment.js';
import { FrameLogger } from '../handler/frame-logger.js';
import type { ProcessorTable } from './processor-table.js';
import { SystemCode } from './system-code.js';

const BODY_BYTES = 64;
const systemNames = new Map<number, string>(Object.entries(SystemCode).map(([name, code]) => [code, name]));

/** What a request code is called, as far as its own side knows: by its processor, or from calls made by its definition. */
export class DebugNames {
  readonly #processors: ProcessorTable;
  readonly #called = new Map<number, string>();

  constructor(processors: ProcessorTable) {
    this.#processors = processors;
  }

  called(code: number, name: string | undefined): void {
    if (name !== undefined) this.#called.set(code, name);
  }

  nameOf(code: number): string | undefined {
    return this.#processors.find(code)?.name ?? this.#called.get(code);
  }
}

/** Names are kept only where the environment wants frames to be shown. */
export function debugNames(processors: ProcessorTable): DebugNames | undefined {
  return readDebugEnvironment()?.frames === true ? new DebugNames(processors) : undefined;
}

/** Puts a FrameLogger that writes to stderr into a new channel's pipeline, if the environment wants one (`RMQNS_DEBUG=frames`). */
export function debugFrames(channel: Channel, names: DebugNames | undefined, maxFrameBytes: number): void {
  const debug = readDebugEnvironment();
  if (debug?.frames !== true) return;
  const logger = new FrameLogger({
    log: (line) => void process.stderr.write(`rmqns ${line}\n`),
    nameOf: (code, isResponse) => (isResponse ? systemNames.get(code) : names?.nameOf(code)),
    values: debug.values,
    bodyBytes: debug.bodies ? BODY_BYTES : 0,
    maxFrameBytes,
  });
  channel.pipeline.addBefore('frameDecoder', 'frameLogger', logger);
}
