import { isValidRefName } from '../common/index.ts';
import type { RefStore } from './refs.ts';

/**
 * Finds an existing ref that conflicts with a new one, because one name is a folder of the other.
 * @param ref full name, e.g. `refs/heads/feature/x`
 * @returns e.g. `refs/heads/feature`, or a ref below `refs/heads/feature/x/`; null if there is none
 */
export async function findRefConflict(refs: RefStore, ref: string): Promise<string | null> {
  const parts = ref.split('/');
  for (let length = 2; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join('/');
    if ((await refs.resolve(above)) !== null) return above;
  }
  if (!isValidRefName(ref)) return null;
  return (await refs.list(`${ref}/`))[0]?.name ?? null;
}
