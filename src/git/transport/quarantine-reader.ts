import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../files/index.ts';
import { createPackResources, ObjectStore, type RawObject } from '../objects/index.ts';

const MiB = 1024 * 1024;
/** Maximum number of pushed files that are read one by one. */
const MAX_FILES = 500;
const PARALLEL = 16;

/**
 * Reads objects of a push in quarantine, without those of the repository.
 * @param quarantine git's quarantine folder
 * @param oidDigits length of an object id in digits
 * @returns the result of `work`; null if they cannot be read here
 */
async function reading<T>(quarantine: string, oidDigits: number, work: (store: ObjectStore) => Promise<T>) {
  const { store, close } = openQuarantine(quarantine, oidDigits);
  try {
    return await work(store);
  } catch {
    // Git reports the error.
    return null;
  } finally {
    close();
  }
}

/** Opens the quarantined objects without those of the repository. @param oidDigits length of an object id in digits */
export function openQuarantine(quarantine: string, oidDigits: number): { store: ObjectStore; close: () => void } {
  const shared = createPackResources({ blockBytes: 4 * MiB, baseBytes: 4 * MiB, maxOpen: 32, idleMs: 60_000 });
  const store = new ObjectStore(quarantine, shared, oidDigits / 2);
  return {
    store,
    close: () => {
      store.close();
      shared.files.close();
    },
  };
}

/**
 * Passes on every object of a push with few objects, unordered.
 * @param maxBytes larger objects come without their content
 * @returns false if git must be asked
 */
export async function readQuarantined(
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

/** Ids of loose objects; null if there are packs, or too many files. */
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
