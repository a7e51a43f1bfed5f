import { invalidParameter } from '../../../core/core.errors.ts';
import { encodeUtf8 } from '../../../core/detached-copy.ts';
import { encodeBytes, GitError } from '../../../git/common/index.ts';
import type { Question, Repository } from '../../../git/repository/index.ts';
import { type EntryList, entryAt, listAll, listFolder, type PathEntry } from '../../../git/trees/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import { folderJson } from './folder-json.ts';
import { presentEntry } from './repositories.entry-views.ts';

/**
 * Start of a page: the number of entries before it, or the `page_token` of the previous entry (empty: none), and its
 * size.
 */
export interface Part {
  from: number | string;
  size: number;
}

/** A page of entries as JSON. */
export interface EntryPage {
  /** Entries as JSON. */
  bytes: Uint8Array;
  etag: string;
  /** Total number of entries. */
  total: number;
  /** `page_token` of the next page, for pages by token; null if this is the last. */
  next: string | null;
}

/** The `page_token` of an entry: its path, since two files can share a blob. */
const pageToken = (entry: PathEntry): string => encodeBytes(entry.path).toString('base64url');

/** Returns the position after a token. Accepts the id of an entry as well. @throws ApiError 400 if no entry matches */
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
 * Returns a page of entries.
 * @param jsonOf renders a range of entries as JSON
 * @throws ApiError 400 if no entry matches the token
 */
function pageOf(entries: EntryList, { from, size }: Part, jsonOf: (from: number, to: number) => Buffer): EntryPage {
  const start = typeof from === 'string' ? positionAfter(entries, from) : from;
  const { body, etag } = new Serialized(jsonOf(start, start + size));
  const total = entries.length;
  const isLast = typeof from === 'number' || start + size >= total;
  return { bytes: body, etag, total, next: isLast ? null : pageToken(entries.slice(start, start + size).at(-1)!) };
}

/**
 * Returns a page of everything below a folder.
 * @param folder as in `FOLDER_PAGE`
 * @returns null if the folder does not exist
 * @throws as `FOLDER_PAGE`
 */
export async function pageOfAll(
  repo: Repository,
  commit: string,
  folder: string,
  part: Part,
): Promise<EntryPage | null> {
  const entry = await entryAt(repo, commit, folder);
  if (entry?.type !== 'tree') return null;
  const entries = await listAll(repo, entry.oid);
  const prefix = prefixOf(folder);
  return pageOf(entries, part, (from, to) =>
    encodeUtf8(JSON.stringify(entries.slice(from, to).map((one) => presentEntry(one, prefix)))),
  );
}

/**
 * @param folder its path, without leading or trailing slash; empty for the root
 * @returns null if the folder does not exist
 * @throws GitError `corrupt` for a damaged repository
 */
async function readFolderPage(repo: Repository, commit: string, folder: string, part: Part): Promise<EntryPage | null> {
  const entry = await entryAt(repo, commit, folder);
  if (entry?.type !== 'tree') return null;
  const page = await repo.objects.useTree(entry.oid, (tree) => {
    const entries = listFolder(tree);
    return pageOf(entries, part, (from, to) => folderJson(tree, entries.placesOf(from, to), prefixOf(folder)));
  });
  if (page === null) throw new GitError('corrupt', `tree ${entry.oid} is missing`);
  return page;
}

/** Prefix of the paths of entries in a folder. */
const prefixOf = (folder: string): string => (folder === '' ? '' : `${folder}/`);

/** Renders pages of a folder at a commit, for lists of files and folders (part 1, section 4.1). */
export const FOLDER_PAGE = { name: 'folder page', find: readFolderPage } as const satisfies Question;
