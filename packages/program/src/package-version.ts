import { readFileSync } from 'node:fs';

/** The version in the package.json at `path`. */
export function packageVersion(path: URL): string {
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return version;
}
