import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../common/index.ts';
import { copyMissing, namesIn } from '../files/index.ts';

const FAN_OUT = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK = /^(pack-[0-9a-f]{40,64})\.idx$/;
/** A pack or a file that belongs to it. */
const OF_PACK = /^(pack-[0-9a-f]{40,64})\.(?:pack|idx|rev)$/;
const LOOKS = 20;

async function looseFiles(objects: string): Promise<string[]> {
  const files: string[] = [];
  for (const folder of (await readdir(objects)).filter((name) => FAN_OUT.test(name))) {
    for (const name of await namesIn(join(objects, folder))) if (LOOSE.test(name)) files.push(`${folder}/${name}`);
  }
  return files;
}

async function packFiles(objects: string): Promise<string[]> {
  const names = await namesIn(join(objects, 'pack'));
  const complete = new Set(names.map((name) => PACK.exec(name)?.[1]));
  return names
    .filter((name) => complete.has(OF_PACK.exec(name)?.[1]))
    .map((name) => `pack/${name}`)
    .sort();
}

/**
 * Lists the object files of a repository relative to `objects/`. Each is immutable, since its name determines its
 * content. Temporary files and derived files (multi-pack indexes, commit graphs) are excluded.
 * @throws the file system's error if the repository has no `objects`
 */
export async function listObjectFiles(dir: string): Promise<string[]> {
  const objects = join(dir, 'objects');
  // Loose objects first: housekeeping writes a pack before it removes the packed objects.
  const loose = await looseFiles(objects);
  for (let looks = 1; ; looks += 1) {
    const packs = await packFiles(objects);
    const again = await packFiles(objects);
    if (packs.join() === again.join()) return [...loose, ...packs];
    if (looks === LOOKS) throw new GitError('busy', `${objects} keeps changing`);
  }
}

/**
 * Copies the files of `objects/` that are missing in `target`. Durable when it fulfils. Reads and writes may continue;
 * every object that existed at the call is in the returned files.
 * @param target a folder that receives the same paths
 * @returns all object files of the repository, copied or not, and the number of bytes copied
 * @throws GitError `busy` if housekeeping removes files faster than they can be copied; the file system's error
 */
export async function copyObjectFiles(dir: string, target: string): Promise<{ files: string[]; bytes: number }> {
  let bytes = 0;
  for (let looks = 1; ; looks += 1) {
    const files = await listObjectFiles(dir);
    const result = await copyMissing(join(dir, 'objects'), target, files);
    bytes += result.bytes;
    if (!result.vanished) return { files, bytes };
    // Missing files were packed into another file, which the next pass finds.
    if (looks === LOOKS) throw new GitError('busy', `files of ${dir} are removed faster than they can be copied`);
  }
}
