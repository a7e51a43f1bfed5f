import { invalidParameter, notFound } from '../../../core/errors.ts';
import { bufferOver, encodeBytes } from '../../../git/bytes.ts';
import { ask } from '../../../git/readers/ask.ts';
import { FOLDER_AT } from '../../../git/readers/folder-at.ts';
import type { Repository } from '../../../git/repository.ts';
import { cacheKey, ResultCache } from '../../../git/result-cache.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { entryAt, type PathEntry } from '../../../git/tree.ts';
import { type EntryList, listAll, listFolder } from '../../../git/tree-listing.ts';
import { TreeObject } from '../../../git/tree-object.ts';

export interface Listing {
  /** Folder the entries lie in, with a closing slash; empty for the root. */
  prefix: string;
  /** Id of the folder's tree. */
  tree: string;
  entries: EntryList;
}

/** What was listed lately: the next page is asked of the same folder. */
const folders = new ResultCache<Listing & { bytes: number }>(4 * 1024 * 1024, ({ bytes }) => bytes + 400);

/**
 * The entries of a folder at a branch, tag or commit.
 * @throws ApiError 404 `404 Tree Not Found`, or `404 invalid revision or path Not Found` where the folder is missing
 */
export async function findListing(
  repo: Repository,
  ref: string | undefined,
  path: string | undefined,
  recursive: boolean,
): Promise<Listing> {
  const revision = await resolveRevision(repo, ref || 'HEAD');
  if (revision === null) throw notFound('Tree');
  const folder = (path ?? '').replace(/^\/|\/$/g, '');
  const prefix = folder === '' ? '' : `${folder}/`;
  if (!recursive) {
    return await folders.get(cacheKey(repo.id, revision.oid, folder), async () => {
      const found = await ask(repo, FOLDER_AT, revision.oid, folder);
      if (found === null) throw notFound('invalid revision or path');
      const { tree, bytes } = found;
      const entries = listFolder(new TreeObject(tree, bufferOver(bytes)));
      // Some 8 bytes for each entry, which is some 40 of the tree.
      return { prefix, tree, entries, bytes: Math.ceil(1.5 * bytes.length) };
    });
  }
  const entry = await entryAt(repo, revision.oid, folder);
  if (entry?.type !== 'tree') throw notFound('invalid revision or path');
  return { prefix, tree: entry.oid, entries: await listAll(repo, entry.oid) };
}

/** Entries as the API shows them; bytes of a name that are no UTF-8 become U+FFFD. */
export const presentEntries = (entries: readonly PathEntry[], prefix: string) =>
  entries.map((entry) => ({
    id: entry.oid,
    name: entry.name.toWellFormed(),
    type: entry.type,
    path: `${prefix}${entry.path}`.toWellFormed(),
    mode: entry.mode,
  }));

/** What stands for an entry in `page_token`: its path, since two files can be one blob. */
export const pageToken = (entry: PathEntry): string => encodeBytes(entry.path).toString('base64url');

/**
 * Where the page after a token starts. Takes the id of an entry as well.
 * @throws ApiError 400 where no entry fits
 */
export function positionAfter({ entries }: Listing, token: string | undefined): number {
  if (!token) return 0;
  const all = entries.slice(0);
  const byId = all.findIndex(({ oid }) => oid === token);
  const bytes = Buffer.from(token, 'base64url');
  const index = byId >= 0 ? byId : all.findIndex(({ path }) => encodeBytes(path).equals(bytes));
  if (index < 0) throw invalidParameter('page_token is invalid');
  return index + 1;
}
