import { refused } from '../core/core.errors.ts';
import { compareBytes } from '../git/git.bytes.ts';
import type { Repository } from '../git/git.repository.ts';
import type { Ref } from '../git/refs.ts';
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

/** Lists kept of what was derived from one state of the references. */
const MAX_DERIVED = 16;
const READ_AT_ONCE = 256;

/** A folder's references change identity when they change, so whatever follows from them is kept beside them. */
const derived = new WeakMap<readonly Ref[], Map<string, Promise<readonly Ref[]>>>();

function keep(
  refs: readonly Ref[],
  key: string,
  make: () => Promise<readonly Ref[]>,
): readonly Ref[] | Promise<readonly Ref[]> {
  let kept = derived.get(refs);
  if (kept === undefined) {
    kept = new Map();
    derived.set(refs, kept);
  }
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (kept.size >= MAX_DERIVED) kept.delete(kept.keys().next().value!);
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  return made;
}

/**
 * The branches or tags that a list asks for, filtered and in order. For the same `refs` the same array comes back.
 * @param refs all references of the folder, as the repository lists them
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

/** When the objects were made: the committer's or tagger's time in seconds, 0 for an object that states none. */
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
 * The place in a list that follows a token, the name of the last reference of the page before.
 * @param token with or without `refs/heads/` (or `refs/tags/`); undefined for the first page
 * @throws ApiError 422 for a token that is no reference (any more), where the order does not tell its place
 */
export function placeAfter(
  refs: readonly Ref[],
  { folder, order, descending }: RefQuery,
  token: string | undefined,
): number {
  if (token === undefined || token === '') return 0;
  const name = token.startsWith(folder) ? token : `${folder}${token}`;
  const at = refs.findIndex((ref) => ref.name === name);
  if (at !== -1) return at + 1;
  if (order !== 'name') throw refused('Invalid page token', 422);
  const next = refs.findIndex((ref) => (descending ? -1 : 1) * compareBytes(ref.name, name) > 0);
  return next === -1 ? refs.length : next;
}

/** The parameters that lead to the page after `end`; null where the list ends before it. */
export function nextToken(refs: readonly Ref[], { folder }: RefQuery, end: number): { page_token: string } | null {
  return end < refs.length ? { page_token: refs[end - 1]!.name.slice(folder.length).toWellFormed() } : null;
}
