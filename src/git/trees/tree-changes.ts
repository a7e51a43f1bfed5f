import { withPooledMemory } from '../common/index.ts';
import { type TreeEntry, TreeObject } from '../objects/index.ts';
import type { Repository } from '../repository/index.ts';
import { treeOf } from './git.tree.ts';

/** Maximum number of folders read one by one before the comparison is left to git. */
const MAX_FOLDERS = 100;

/** A path that differs, with its entry before and after; undefined where it does not exist. */
export interface Change {
  path: string;
  before: TreeEntry | undefined;
  after: TreeEntry | undefined;
}

interface Difference {
  prefix: string;
  from: string | null;
  to: string | null;
}

/**
 * Files that differ between two commits or trees, found by reading the differing folders, without a process.
 * @param from null for an empty tree
 * @returns unordered; null if an object is missing, or too many folders differ
 */
export async function changesBetween(repo: Repository, from: string | null, to: string): Promise<Change[] | null> {
  const fromTree = from === null ? undefined : await treeOf(repo, from);
  const toTree = await treeOf(repo, to);
  if (fromTree === null || toTree === null) return null;
  const changes: Change[] = [];
  const waiting: Difference[] = fromTree === toTree ? [] : [{ prefix: '', from: fromTree ?? null, to: toTree }];
  let read = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    read += 1;
    if (read > MAX_FOLDERS) return null;
    const differences = await differencesOf(repo, next.from, next.to);
    if (differences === null) return null;
    const { here, there } = differences;
    const [before, after] = [byName(here), byName(there)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
      const path = `${next.prefix}${name}`;
      const [old, now] = [file(was), file(is)];
      if (old !== undefined || now !== undefined) changes.push({ path, before: old, after: now });
      const below = { from: folder(was), to: folder(is) };
      if (below.from !== below.to) waiting.push({ prefix: `${path}/`, ...below });
    }
  }
  return changes;
}

/** Like `changesBetween`, paths only. */
export async function pathsBetween(repo: Repository, from: string, to: string): Promise<string[] | null> {
  return (await changesBetween(repo, from, to))?.map(({ path }) => path) ?? null;
}

const folder = (entry: TreeEntry | undefined): string | null => (entry?.type === 'tree' ? entry.oid : null);
const file = (entry: TreeEntry | undefined): TreeEntry | undefined => (entry?.type === 'tree' ? undefined : entry);

const NOTHING = new TreeObject('', Buffer.alloc(0));

/** Entries that differ between two folders; null for no folder. */
async function differencesOf(repo: Repository, from: string | null, to: string | null) {
  return await withPooledMemory(async (copy) => {
    const one = from === null ? NOTHING : await repo.objects.useTree(from, (tree) => tree.copied(copy));
    if (one === null) return null;
    return to === null ? one.differences(NOTHING) : await repo.objects.useTree(to, (other) => one.differences(other));
  });
}

const byName = (entries: readonly TreeEntry[]): ReadonlyMap<string, TreeEntry> =>
  new Map(entries.map((entry) => [entry.name, entry]));
