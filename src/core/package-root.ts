import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Root folder of the program, whether it runs from sources or from the bundle in dist/. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = join(folder, '..');
  return folder;
}
