import { cacheKey, decodeBytes, GitError, ResultCache } from '../common/index.ts';
import { type TreeObject, typeOfMode } from '../objects/index.ts';
import { readRecords } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import type { PathEntry } from './git.tree.ts';

const NUL = 0;
/** Maximum number of entries of a listing: a few small trees can expand to millions of paths. */
const MAX_ENTRIES = 200_000;
const RECORD = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t/;
/** Entries with paths relative to a tree, created on demand. */
export interface EntryList {
  readonly length: number;
  slice(from: number, to?: number): readonly PathEntry[];
}

const listings = new ResultCache<readonly PathEntry[]>('git_trees', (entries) =>
  entries.reduce((sum, { path, name }) => sum + 2 * (path.length + name.length) + 160, 0),
);

/**
 * Entries of one folder in display order: folders, files, submodules, each in git's order. Serves `GET
 * /projects/:id/repository/tree`. Throws GitError `corrupt` when it reaches a truncated entry.
 */
export const listFolder = (tree: TreeObject): FolderListing => new FolderListing(tree);

/**
 * Lists a tree recursively in the order of `listFolder`.
 * @param tree id of a tree
 * @returns entries with paths relative to this tree. Shared; must not be modified
 * @throws GitError `not_found` if there is no such tree, `output_too_large` above 200,000 entries, `corrupt`
 */
export async function listAll(repo: Repository, tree: string): Promise<readonly PathEntry[]> {
  return await listings.get(cacheKey(repo.key, tree), async () => {
    const entries = await readAll(repo, tree);
    const of = (type: PathEntry['type']) => entries.filter((entry) => entry.type === type);
    return [...of('tree'), ...of('blob'), ...of('commit')];
  });
}

/** Entries of one tree, parsed on demand: most entries of a large tree never are. */
export class FolderListing implements EntryList {
  readonly #tree: TreeObject;
  #length: number | undefined;

  constructor(tree: TreeObject) {
    this.#tree = tree;
  }

  get length(): number {
    this.#length ??= this.#tree.count;
    return this.#length;
  }

  /** Positions of a range of entries. */
  placesOf(from: number, to?: number): readonly number[] {
    const { folders, files, submodules, count } = this.#tree.positions(to);
    this.#length = count;
    return [...folders, ...files, ...submodules].slice(from, to);
  }

  slice(from: number, to?: number): PathEntry[] {
    return this.placesOf(from, to).map((place) => {
      const entry = this.#tree.entryFrom(place);
      return { ...entry, path: entry.name };
    });
  }
}

/** One git process for all levels. It streams, so that a large tree does not block the event loop. */
async function readAll(repo: Repository, tree: string): Promise<PathEntry[]> {
  if ((await repo.objects.treeObject(tree)) === null) throw new GitError('not_found', `no tree ${tree}`);
  const entries: PathEntry[] = [];
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', tree];
  await readRecords(args, { gitDir: repo.dir, separator: NUL }, (record) => {
    const match = RECORD.exec(record.toString('latin1', 0, Math.min(record.length, 100)));
    if (match === null) throw new GitError('corrupt', 'git ls-tree: not an entry');
    if (entries.length === MAX_ENTRIES) throw new GitError('output_too_large', 'too many entries in a tree');
    const [head, mode = '', oid = ''] = match;
    const path = decodeBytes(record.subarray(head.length));
    entries.push({ mode, oid, type: typeOfMode(mode), path, name: path.slice(path.lastIndexOf('/') + 1) });
  });
  return entries;
}
