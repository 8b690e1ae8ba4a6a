import type { Channel } from '../channel/channel.js';
import { readDebugEnvironment } from '../debug-environment.js';
import { FrameLogger } from '../handler/frame-logger.js';
import { SystemCode } from './system-code.js';

const BODY_BYTES = 64;
const systemNames = new Map<number, string>(Object.entries(SystemCode).map(([name, code]) => [code, name]));

/** Puts a FrameLogger that writes to stderr into a new channel's pipeline, if the environment wants one (`RMQNS_DEBUG=frames`). */
export function debugFrames(channel: Channel, maxFrameBytes: number): void {
  const debug = readDebugEnvironment();
  if (debug?.frames !== true) return;
  const logger = new FrameLogger({
    log: (line) => void process.stderr.write(`rmqns ${line}\n`),
    nameOf: (code, isResponse) => (isResponse ? systemNames.get(code) : undefined),
    values: debug.values,
    bodyBytes: debug.bodies ? BODY_BYTES : 0,
    maxFrameBytes,
  });
  channel.pipeline.addBefore('frameDecoder', 'frameLogger', logger);
}
