import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from '../files/index.ts';

/** Time in milliseconds within which the index of a new pack appears. */
const SETTLE_MS = 100;

/** Whether a folder is a repository. */
export const isRepository = (dir: string): boolean => existsSync(join(dir, 'HEAD')) && existsSync(join(dir, 'objects'));

function unpairedPack(dir: string): boolean {
  let names: string[];
  try {
    names = readdirSync(join(dir, 'objects', 'pack'));
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  const stems = (ending: string) =>
    new Set(
      names
        .filter((name) => /^pack-[0-9a-f]+\./.test(name) && name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length)),
    );
  const packs = stems('.pack');
  const indexes = stems('.idx');
  return packs.size !== indexes.size || [...packs].some((stem) => !indexes.has(stem));
}

/**
 * Whether an object that git does not find may exist but be unreadable: its file exists, a pack or its index is
 * missing, or the repository itself is missing.
 * @param oid complete object id
 */
export async function isPossiblyLost(dir: string, oid: string): Promise<boolean> {
  if (!isRepository(dir) || existsSync(join(dir, 'objects', oid.slice(0, 2), oid.slice(2)))) return true;
  if (!unpairedPack(dir)) return false;
  await sleep(SETTLE_MS);
  return unpairedPack(dir);
}
