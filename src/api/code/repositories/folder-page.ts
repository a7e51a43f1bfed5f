import { invalidParameter } from '../../../core/errors.ts';
import { encodeBytes } from '../../../git/bytes.ts';
import { GitError } from '../../../git/errors.ts';
import type { Question } from '../../../git/readers/question.ts';
import type { Repository } from '../../../git/repository.ts';
import { entryAt, type PathEntry } from '../../../git/tree.ts';
import { type EntryList, listFolder } from '../../../git/tree-listing.ts';
import { Serialized } from '../../../http/send.ts';

/** Which entries a page has: how many come before it, or the `page_token` of the last one before it (empty: none). */
export interface Part {
  from: number | string;
  size: number;
}

/** One page of entries as JSON. */
export interface EntryPage {
  /** JSON of the entries. */
  bytes: Uint8Array;
  etag: string;
  /** How many entries there are in all. */
  total: number;
  /** The `page_token` of what comes after a page that one was given for; null where nothing does. */
  next: string | null;
}

/** An entry as the API shows it; bytes of a name that are no UTF-8 become U+FFFD. */
const presentEntry = ({ oid, name, type, path, mode }: PathEntry, prefix: string) => ({
  id: oid,
  name: name.toWellFormed(),
  type,
  path: `${prefix}${path}`.toWellFormed(),
  mode,
});

/** What stands for an entry in `page_token`: its path, since two files can be one blob. */
const pageToken = (entry: PathEntry): string => encodeBytes(entry.path).toString('base64url');

/**
 * Where the page after a token starts. Takes the id of an entry as well.
 * @throws ApiError 400 where no entry fits
 */
function positionAfter(entries: EntryList, token: string): number {
  if (token === '') return 0;
  const all = entries.slice(0);
  const byId = all.findIndex(({ oid }) => oid === token);
  const bytes = Buffer.from(token, 'base64url');
  const index = byId >= 0 ? byId : all.findIndex(({ path }) => encodeBytes(path).equals(bytes));
  if (index < 0) throw invalidParameter('page_token is invalid');
  return index + 1;
}

/**
 * One page of entries.
 * @param prefix folder they lie in, with a closing slash; empty for the root
 * @throws ApiError 400 for a token that no entry fits
 */
export function pageOf(entries: EntryList, prefix: string, { from, size }: Part): EntryPage {
  const start = typeof from === 'string' ? positionAfter(entries, from) : from;
  const shown = entries.slice(start, start + size);
  const { body, etag } = Serialized.of(shown.map((entry) => presentEntry(entry, prefix)));
  const total = entries.length;
  const isLast = typeof from === 'number' || start + size >= total;
  return { bytes: body, etag, total, next: isLast ? null : pageToken(shown.at(-1)!) };
}

/**
 * @param folder its path, without slashes at its ends; empty for the root
 * @returns null where there is no folder
 * @throws GitError `corrupt` for a damaged repository
 */
async function readFolderPage(repo: Repository, commit: string, folder: string, part: Part): Promise<EntryPage | null> {
  const entry = await entryAt(repo, commit, folder);
  if (entry?.type !== 'tree') return null;
  const tree = await repo.objects.treeObject(entry.oid);
  if (tree === null) throw new GitError('corrupt', `tree ${entry.oid} is missing`);
  return pageOf(listFolder(tree), prefixOf(folder), part);
}

/** What the paths of what is in a folder begin with. */
export const prefixOf = (folder: string): string => (folder === '' ? '' : `${folder}/`);

/** One page of what a folder holds at a commit. Serves lists of files and folders (part 1, section 4.1). */
export const FOLDER_PAGE = { name: 'folder page', find: readFolderPage } as const satisfies Question;
