/**
 * The one place of this package that reads the environment; all else that an app may choose is an option. What is here is for a person who
 * looks at a program that runs, without changing it.
 *
 * `RMQNS_DEBUG` is a list of words with commas between them:
 *
 * - `frames`: a line on stderr for each frame of every connection, without values of ext fields;
 * - `values`: with them, which may be secrets;
 * - `bodies`: with the first 64 bytes of bodies.
 */
export interface DebugEnvironment {
  readonly frames: boolean;
  readonly values: boolean;
  readonly bodies: boolean;
}

/** Asked for each connection, so that a test can set the variable. */
export function readDebugEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): DebugEnvironment | undefined {
  const text = environment['RMQNS_DEBUG'];
  if (text === undefined || text === '') return undefined;
  const words = text.split(',').map((word) => word.trim());
  return { frames: words.includes('frames'), values: words.includes('values'), bodies: words.includes('bodies') };
}
