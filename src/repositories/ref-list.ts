import { refused } from '../core/core.errors.ts';
import type { PageRange } from '../db/paginate.ts';
import { compareBytes } from '../git/common/index.ts';
import type { Ref } from '../git/refs/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { matchingRegex, searchTest } from './ref-search.ts';
import { compareVersions } from './version-order.ts';

export type RefFolder = 'refs/heads/' | 'refs/tags/';

export interface RefQuery {
  folder: RefFolder;
  search?: string | undefined;
  regex?: string | undefined;
  order: 'name' | 'updated' | 'version';
  descending: boolean;
}

/** Maximum number of cached lists derived from one state of the references. */
const MAX_DERIVED = 16;
const READ_AT_ONCE = 256;

/** Derived lists by the array of a folder's references, which is replaced whenever they change. */
const derived = new WeakMap<readonly Ref[], Map<string, Promise<readonly Ref[]>>>();

function keep(
  refs: readonly Ref[],
  key: string,
  make: () => Promise<readonly Ref[]>,
): readonly Ref[] | Promise<readonly Ref[]> {
  let lists = derived.get(refs);
  if (lists === undefined) {
    lists = new Map();
    derived.set(refs, lists);
  }
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (lists.size >= MAX_DERIVED) lists.delete(lists.keys().next().value!);
  lists.set(key, made);
  made.catch(() => lists.delete(key));
  return made;
}

/**
 * Selects branches or tags, filtered and sorted. Returns the same array for the same `refs`.
 * @param refs all references of the folder, as listed by the repository
 * @throws ApiError 400 `Regex is invalid`; GitError
 */
export async function selectRefs(repo: Repository, refs: readonly Ref[], query: RefQuery): Promise<readonly Ref[]> {
  const { search = '', regex = '', order, descending } = query;
  if (search === '' && regex === '' && order === 'name' && !descending) return refs;
  const key = JSON.stringify([search, regex, order, descending]);
  return keep(refs, key, async () => sortRefs(repo, await filterRefs(refs, query), query));
}

async function filterRefs(refs: readonly Ref[], { folder, search, regex }: RefQuery): Promise<readonly Ref[]> {
  const shortName = (ref: Ref) => ref.name.slice(folder.length);
  if (regex) return matchingRegex(refs, shortName, regex);
  if (!search) return refs;
  const fits = searchTest(search);
  return refs.filter((ref) => fits(shortName(ref)));
}

async function sortRefs(repo: Repository, refs: readonly Ref[], query: RefQuery): Promise<readonly Ref[]> {
  const { order, descending } = query;
  if (order === 'name') return descending ? refs.toReversed() : refs;
  const sign = descending ? -1 : 1;
  if (order === 'version') return refs.toSorted((a, b) => sign * compareVersions(a.name, b.name));
  const dates = await datesOf(repo, refs);
  return refs.toSorted((a, b) => sign * (dates.get(a.oid)! - dates.get(b.oid)!) || compareBytes(a.name, b.name));
}

/** Creation dates of the objects: time of the committer or tagger in seconds, 0 without one. */
async function datesOf(repo: Repository, refs: readonly Ref[]): Promise<Map<string, number>> {
  const dates = new Map<string, number>();
  for (let at = 0; at < refs.length; at += READ_AT_ONCE) {
    await Promise.all(
      refs.slice(at, at + READ_AT_ONCE).map(async ({ oid }) => {
        const commit = await repo.objects.commit(oid);
        const identity = commit === null ? (await repo.objects.tag(oid))?.tagger : commit.committer;
        dates.set(oid, identity?.timestamp ?? 0);
      }),
    );
  }
  return dates;
}

/**
 * Position in a list after a page token, which is the name of the last reference of the previous page.
 * @param token with or without `refs/heads/` (or `refs/tags/`); empty for the first page
 * @throws ApiError 422 if the reference no longer exists and the sort order does not determine its position
 */
function placeAfter(refs: readonly Ref[], { folder, order, descending }: RefQuery, token: string): number {
  if (token === '') return 0;
  const name = token.startsWith(folder) ? token : `${folder}${token}`;
  const at = refs.findIndex((ref) => ref.name === name);
  if (at !== -1) return at + 1;
  if (order !== 'name') throw refused('Invalid page token', 422);
  const next = refs.findIndex((ref) => (descending ? -1 : 1) * compareBytes(ref.name, name) > 0);
  return next === -1 ? refs.length : next;
}

/** Query parameters for the page after `end`; null at the end of the list. */
function nextToken(refs: readonly Ref[], { folder }: RefQuery, end: number): { page_token: string } | null {
  return end < refs.length ? { page_token: refs[end - 1]!.name.slice(folder.length).toWellFormed() } : null;
}

/**
 * A page of a list of references.
 * @param token the page begins after it; undefined for a page by its offset
 * @param take gives the references from a position on
 * @throws ApiError 422 as `placeAfter`
 */
export function listRefs<R>(
  refs: readonly Ref[],
  query: RefQuery,
  token: string | undefined,
  { offset, size }: PageRange,
  take: (start: number) => R,
) {
  if (token === undefined) return { rows: take(offset), total: refs.length };
  const start = placeAfter(refs, query, token);
  return { rows: take(start), next: nextToken(refs, query, start + size) };
}
