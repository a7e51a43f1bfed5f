import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAncestor } from '../compare.ts';
import { isMissing } from '../durable.ts';
import { parseCommit } from '../objects.ts';
import { ObjectStore } from '../packs/object-store.ts';
import type { RawObject } from '../packs/raw-object.ts';
import { sharedByPacks } from '../packs/shared.ts';
import type { Repository } from '../repository.ts';

const MiB = 1024 * 1024;
const MAX_COMMIT = MiB;
/** Commits of a push, and places where they meet what was there, that are looked at here: of more git is asked. */
const MAX_COMMITS = 2_000;
const MAX_MEETINGS = 50;
/** Files of a push that are read one by one. */
const MAX_FILES = 500;
const PARALLEL = 16;

/**
 * Reads what a push has brought that is not accepted yet, without the objects of the repository.
 * @param quarantine the folder that git keeps the objects in
 * @param oidDigits of an object id
 * @returns what `work` gives; null where it cannot be read here
 */
async function reading<T>(quarantine: string, oidDigits: number, work: (store: ObjectStore) => Promise<T>) {
  const shared = sharedByPacks({ blockBytes: 4 * MiB, baseBytes: 4 * MiB, maxOpen: 32, idleMs: 60_000 });
  const store = new ObjectStore(quarantine, shared, oidDigits / 2);
  try {
    return await work(store);
  } catch {
    // Git tells what is wrong with it.
    return null;
  } finally {
    store.close();
    shared.files.close();
  }
}

/**
 * Whether one commit can be reached from another, each of which the repository has, or has come.
 * @param quarantine null where nothing has come
 * @returns null where git has to be asked
 */
export async function reachesInQuarantine(
  repo: Repository,
  ancestor: string,
  descendant: string,
  quarantine: string | null,
): Promise<boolean | null> {
  const meetings =
    quarantine === null
      ? [descendant]
      : await reading(quarantine, descendant.length, (store) => walk(store, ancestor, descendant));
  if (meetings === null) return null;
  if (meetings === 'met') return true;
  for (const oid of [ancestor, ...meetings]) if ((await repo.objects.commit(oid)) === null) return null;
  for (const oid of meetings) if (await isAncestor(repo, ancestor, oid)) return true;
  return false;
}

/** The commits on which what has come stands; `met` where the one looked for is among what has come, or one of these. */
async function walk(store: ObjectStore, wanted: string, from: string): Promise<string[] | 'met' | null> {
  const meetings: string[] = [];
  const waiting = [from];
  const seen = new Set(waiting);
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    const object = await store.read(oid, MAX_COMMIT);
    if (object === null ? meetings.push(oid) > MAX_MEETINGS : object.type !== 'commit' || object.data === null)
      return null;
    if (oid === wanted) return 'met';
    if (!object?.data) continue;
    for (const parent of parseCommit(oid, object.data).parents) {
      if (seen.has(parent)) continue;
      if (seen.add(parent).size > MAX_COMMITS) return null;
      waiting.push(parent);
    }
  }
  return meetings;
}

/**
 * Hands over every object that has come with few others, in no order.
 * @param maxBytes larger ones come without their content
 * @returns false where git has to be asked
 */
export async function readArrived(
  quarantine: string,
  maxBytes: number,
  take: (oid: string, object: RawObject) => void,
): Promise<boolean> {
  const oids = await looseIds(quarantine);
  const [first] = oids ?? [];
  if (oids === null || first === undefined) return oids !== null;
  const read = await reading(quarantine, first.length, async (store) => {
    for (let at = 0; at < oids.length; at += PARALLEL) {
      const batch = oids.slice(at, at + PARALLEL);
      const objects = await Promise.all(batch.map((oid) => store.read(oid, maxBytes)));
      for (const [index, object] of objects.entries()) {
        if (object === null) return false;
        take(batch[index]!, object);
      }
    }
    return true;
  });
  return read === true;
}

/** Objects that have a file of their own; null where there are packs, or many files. */
async function looseIds(quarantine: string): Promise<string[] | null> {
  const oids: string[] = [];
  for (const folder of await readdir(quarantine)) {
    const isPacks = folder === 'pack';
    if (!isPacks && !/^[0-9a-f]{2}$/.test(folder)) continue;
    const names = await readdir(join(quarantine, folder)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    if (isPacks && names.length > 0) return null;
    for (const name of names) if (/^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name)) oids.push(folder + name);
    if (oids.length > MAX_FILES) return null;
  }
  return oids;
}
