import { type KnownState, parentInGraph, stateInGraph, treeInGraph } from '../commit-graph/index.ts';
import { emptyTreeLike, GitError } from '../common/index.ts';
import { type TreeEntry, typeOfMode } from '../objects/index.ts';
import { isEntryPath } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';

export interface PathEntry extends TreeEntry {
  /** Path from the root of the tree, with slashes. */
  path: string;
}

/** Tree of a commit, or the id itself if it is a tree; null for anything else. */
export async function treeOf(repo: Repository, oid: string): Promise<string | null> {
  const known = await treeInGraph(repo.history, oid);
  if (known !== undefined) return known;
  const commit = await repo.objects.commit(oid);
  if (commit !== null) return commit.tree;
  return (await repo.objects.treeObject(oid)) === null ? null : oid;
}

/** First parent of a commit; null for a root commit, undefined if there is no such commit. */
export async function firstParentOf(repo: Repository, oid: string): Promise<string | null | undefined> {
  const known = await parentInGraph(repo.history, oid);
  if (known !== undefined) return known;
  const commit = await repo.objects.commit(oid);
  return commit === null ? undefined : (commit.parents[0] ?? null);
}

/** Converts a state from the path indexes to a tree entry. */
export function pathEntryOf({ mode, oid }: KnownState, path: string): TreeEntry {
  const digits = mode.padStart(6, '0');
  return { mode: digits, name: path.slice(path.lastIndexOf('/') + 1), oid, type: typeOfMode(digits) };
}

/**
 * The entry at a path; null if there is none. Symbolic links and submodules are entries and never followed.
 * @param oid a commit or tree
 * @param path from the root, with slashes; one trailing slash is allowed; empty for the root itself
 * @throws GitError `corrupt` for a damaged tree
 */
export async function entryAt(repo: Repository, oid: string, path: string): Promise<TreeEntry | null> {
  const known = isEntryPath(path) ? await stateInGraph(repo.history, oid, path) : undefined;
  // For an absent path or an empty folder, the tree decides.
  if (known && known.oid !== emptyTreeLike(known.oid)) return pathEntryOf(known, path);
  const root = await treeOf(repo, oid);
  if (root === null) return null;
  let entry: TreeEntry = { mode: '040000', name: '', oid: root, type: 'tree' };
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  if (bare === '') return entry;
  for (const name of bare.split('/')) {
    if (entry.type !== 'tree') return null;
    const child = await repo.objects.useTree(entry.oid, (tree) => ({ next: tree.find(name) }));
    if (child === null) throw new GitError('corrupt', `tree ${entry.oid} is missing`);
    if (child.next === null) return null;
    entry = child.next;
  }
  return path.endsWith('/') && entry.type !== 'tree' ? null : entry;
}

/**
 * Lists the entries of a folder in git's order; with `recursive`, each folder is followed by its contents. Reads one
 * tree at a time, so a caller that stops early saves the rest.
 * @param oid a commit or tree
 * @param path of the folder, as for `entryAt`
 * @throws GitError `not_found` if there is no folder at `path`, `corrupt` for a damaged tree
 */
export async function* listTree(
  repo: Repository,
  oid: string,
  path: string,
  options: { recursive?: boolean } = {},
): AsyncGenerator<PathEntry, void, void> {
  const top = await entryAt(repo, oid, path);
  if (top?.type !== 'tree') throw new GitError('not_found', 'no folder at this path');
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  const stack = [await open(repo, top.oid, bare === '' ? '' : `${bare}/`)];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const entry = level.entries[level.next];
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    level.next += 1;
    const entryPath = `${level.prefix}${entry.name}`;
    yield { ...entry, path: entryPath };
    if (options.recursive && entry.type === 'tree') stack.push(await open(repo, entry.oid, `${entryPath}/`));
  }
}

async function open(repo: Repository, oid: string, prefix: string) {
  const entries = await repo.objects.tree(oid);
  if (entries === null) throw new GitError('corrupt', `tree ${oid} is missing`);
  return { entries, prefix, next: 0 };
}
