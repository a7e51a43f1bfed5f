import type { RefChange } from '../../db/tables/ref-intents.table.ts';
import { mayTakeOver } from '../../git/remote/index.ts';

/** Ids by full names of branches and tags. */
export type Refs = ReadonlyMap<string, string>;

export const branchOf = (ref: string): string | null =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;

/** Branches and tags of the other side to mirror; branches only if the filter accepts them. */
export function mirroredRefs(remote: Refs, takes: (branch: string) => boolean): string[] {
  return [...remote.keys()].filter((ref) => {
    const branch = branchOf(ref);
    return mayTakeOver(ref) && (branch === null || takes(branch));
  });
}

/** Refs to create or move here, without a check whether a branch may be moved. */
export function planRefChanges(objects: readonly string[], fetched: Refs, local: Refs): RefChange[] {
  return objects.flatMap((ref): RefChange[] => {
    const target = fetched.get(ref);
    const here = local.get(ref) ?? null;
    return target === undefined || target === here ? [] : [{ ref, old: here, new: target }];
  });
}

/** Returns a predicate for names that conflict with an existing ref, because one is a folder of the other. */
export function conflictingRefs(local: Refs): (ref: string) => boolean {
  const folders = new Set<string>();
  for (const name of local.keys()) for (const folder of parentsOf(name)) folders.add(folder);
  return (ref) => folders.has(ref) || parentsOf(ref).some((folder) => local.has(folder));
}

const parentsOf = (name: string): string[] => {
  const parts = name.split('/');
  return parts.slice(3).map((_, index) => parts.slice(0, index + 3).join('/'));
};
