import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Total size of the packs of a repository; 0 if it cannot be determined. */
export function packedBytes(dir: string): number {
  const folder = join(dir, 'objects/pack');
  try {
    const packs = readdirSync(folder).filter((name) => name.endsWith('.pack'));
    return packs.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    return 0;
  }
}
