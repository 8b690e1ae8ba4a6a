import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function find(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'tsconfig.base.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('no folder above the test kit holds tsconfig.base.json');
    directory = parent;
  }
  return directory;
}

/** The top folder of this repository. */
export const repositoryRoot: string = find();
