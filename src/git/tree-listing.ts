import { decodeBytes } from './bytes.ts';
import { GitError } from './errors.ts';
import { typeOfMode } from './objects.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';
import type { PathEntry } from './tree.ts';

const NUL = 0;
/** Past this a listing is refused: a few small trees can stand for millions of paths. */
const MAX_ENTRIES = 200_000;
const RECORD = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t/;
const listings = new ResultCache<readonly PathEntry[]>(32 * 1024 * 1024, (entries) =>
  entries.reduce((sum, { path, name }) => sum + 2 * (path.length + name.length) + 160, 0),
);

/**
 * What a tree holds as people read it: folders first, then files, then submodules, each in git's order. Serves
 * `GET /projects/:id/repository/tree`.
 * @param tree id of a tree
 * @param options `recursive`: all that is below it too
 * @returns entries with paths from this tree on. Shared: not to be changed
 * @throws GitError `not_found` where there is no such tree, `output_too_large` past 200,000 entries, `corrupt`
 */
export async function listFolder(
  repo: Repository,
  tree: string,
  options: { recursive?: boolean } = {},
): Promise<readonly PathEntry[]> {
  const recursive = options.recursive ?? false;
  return await listings.get(cacheKey(repo.id, tree, recursive), async () => {
    const entries = recursive ? await readAll(repo, tree) : await readOne(repo, tree);
    const of = (type: PathEntry['type']) => entries.filter((entry) => entry.type === type);
    return [...of('tree'), ...of('blob'), ...of('commit')];
  });
}

async function readOne(repo: Repository, tree: string): Promise<PathEntry[]> {
  const entries = await repo.objects.tree(tree);
  if (entries === null) throw new GitError('not_found', `no tree ${tree}`);
  return entries.map((entry) => ({ ...entry, path: entry.name }));
}

/** One git process for all levels: it streams, so that a large tree leaves the event loop free. */
async function readAll(repo: Repository, tree: string): Promise<PathEntry[]> {
  if ((await repo.objects.tree(tree)) === null) throw new GitError('not_found', `no tree ${tree}`);
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
