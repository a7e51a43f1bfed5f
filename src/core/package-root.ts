import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that the program lies in, whether this runs as a source or as a part of the bundle in dist/. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = join(folder, '..');
  return folder;
}
