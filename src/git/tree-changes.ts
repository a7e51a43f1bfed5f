import type { TreeEntry } from './objects.ts';
import type { Repository } from './repository.ts';
import { treeOf } from './tree.ts';

/** Folders that are read one by one before it is left to a git process. */
const MAX_FOLDERS = 100;

interface Difference {
  prefix: string;
  from: string | null;
  to: string | null;
}

/**
 * Paths of the files that differ between two commits or trees, by reading the folders that do: what a push changes is found
 * without a process.
 * @returns in no order; null where an object is missing, or many folders differ
 */
export async function pathsBetween(repo: Repository, from: string, to: string): Promise<string[] | null> {
  const [fromTree, toTree] = [await treeOf(repo, from), await treeOf(repo, to)];
  if (fromTree === null || toTree === null) return null;
  const paths: string[] = [];
  const waiting: Difference[] = fromTree === toTree ? [] : [{ prefix: '', from: fromTree, to: toTree }];
  let read = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    read += 1;
    if (read > MAX_FOLDERS) return null;
    const before = await entriesOf(repo, next.from);
    const after = await entriesOf(repo, next.to);
    if (before === null || after === null) return null;
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [one, other] = [before.get(name), after.get(name)];
      if (one?.oid === other?.oid && one?.mode === other?.mode) continue;
      const path = `${next.prefix}${name}`;
      if ([one, other].some((entry) => entry !== undefined && entry.type !== 'tree')) paths.push(path);
      const below = { from: folder(one), to: folder(other) };
      if (below.from !== below.to) waiting.push({ prefix: `${path}/`, ...below });
    }
  }
  return paths;
}

const folder = (entry: TreeEntry | undefined): string | null => (entry?.type === 'tree' ? entry.oid : null);

async function entriesOf(repo: Repository, tree: string | null): Promise<ReadonlyMap<string, TreeEntry> | null> {
  const entries = tree === null ? [] : await repo.objects.tree(tree);
  return entries && new Map(entries.map((entry) => [entry.name, entry]));
}
