import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyMissing, namesIn } from './copy-files.ts';
import { GitError } from './git.errors.ts';

const FAN_OUT = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK = /^(pack-[0-9a-f]{40,64})\.idx$/;
/** What belongs to a pack and is made with it. */
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
 * The files that hold the objects of a repository, by their paths below `objects/`. Each is immutable: its name says what
 * it holds. Files in the making and what git can make anew (indexes over packs, commit graphs) are left out.
 * @throws the file system's error where the repository has no `objects`
 */
export async function listObjectFiles(dir: string): Promise<string[]> {
  const objects = join(dir, 'objects');
  // Loose objects first: upkeep writes a pack before it removes what went into it.
  const loose = await looseFiles(objects);
  for (let looks = 1; ; looks += 1) {
    const packs = await packFiles(objects);
    const again = await packFiles(objects);
    if (packs.join() === again.join()) return [...loose, ...packs];
    if (looks === LOOKS) throw new GitError('busy', `${objects} does not come to rest`);
  }
}

/**
 * Brings the files of `objects/` that are not in `target` there, durable when it fulfils. Reads and writes go on
 * meanwhile; every object that was there at the call is in the files that are named.
 * @param target a folder that gets the same paths
 * @returns the files that hold the repository's objects, whether they had to be copied or not, and the bytes copied
 * @throws GitError `busy` where upkeep removes files faster than they can be copied; the file system's error
 */
export async function copyObjectFiles(dir: string, target: string): Promise<{ files: string[]; bytes: number }> {
  let bytes = 0;
  for (let looks = 1; ; looks += 1) {
    const files = await listObjectFiles(dir);
    const result = await copyMissing(join(dir, 'objects'), target, files);
    bytes += result.bytes;
    if (!result.vanished) return { files, bytes };
    // What has gone was packed into another file, which the next look finds.
    if (looks === LOOKS) throw new GitError('busy', `files of ${dir} vanish faster than they can be copied`);
  }
}
