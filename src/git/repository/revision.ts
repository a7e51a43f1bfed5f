import { currentScope } from '../../core/request-scope.ts';
import { isOid } from '../common/index.ts';
import type { Repository } from './git.repository.ts';

export interface Revision {
  /** Id of the commit. */
  oid: string;
  /** Full name of the reference; null for an object id and if `~` or `^` follows. */
  ref: string | null;
}

const FOLDERS = /^refs\/(?:heads|tags|merge-requests|pipelines|keep-around)\//;
const SUFFIX = /^([^~^]+)((?:[~^]\d{0,4})*)$/;
const SHORT_OID = /^[0-9a-f]{4,63}$/;
const MAX_LENGTH = 1_200;
/** Maximum number of commits traversed for `~n` and `^n` in one revision. */
const MAX_STEPS = 1_000;

/**
 * Resolves a user's revision: a branch, a tag, a complete or abbreviated commit id (at least 4 digits), `HEAD`,
 * `heads/x`, `tags/x` or a full name, with any number of `~n` and `^n`. A reference takes precedence over an
 * abbreviated id, a complete id over everything. Other revision syntax of git is not supported.
 * @param options `prefer`: precedence between a branch and a tag of the same name; default `branch`
 * @returns null if there is no such commit, or an ambiguous one
 * @throws GitError `corrupt` if the reference is broken
 */
export async function resolveRevision(
  repo: Repository,
  text: string,
  options: { prefer?: 'branch' | 'tag' } = {},
): Promise<Revision | null> {
  const match = text.length <= MAX_LENGTH ? SUFFIX.exec(text) : null;
  if (match === null) return null;
  const base = await resolveBase(repo, match[1]!, options.prefer ?? 'branch');
  if (base === null || match[2] === '') return base;
  const oid = await walk(repo, base.oid, match[2]!);
  return oid === null ? null : { oid, ref: null };
}

async function resolveBase(repo: Repository, text: string, prefer: 'branch' | 'tag'): Promise<Revision | null> {
  const lower = text.toLowerCase();
  if (isOid(lower)) return await revisionOf(repo, lower, null);
  for (const ref of await candidates(repo, text, prefer)) {
    const oid = await repo.refs.resolve(ref);
    if (oid !== null) return await revisionOf(repo, oid, ref);
  }
  return SHORT_OID.test(lower) ? await resolveShort(repo, lower) : null;
}

/** Full names that a text can denote, in order of precedence. */
async function candidates(repo: Repository, text: string, prefer: 'branch' | 'tag'): Promise<string[]> {
  if (text === 'HEAD') {
    const branch = await repo.refs.head();
    return branch === null ? [] : [`refs/heads/${branch}`];
  }
  if (FOLDERS.test(text)) return [text];
  if (text.startsWith('refs/')) return [];
  const names = [`refs/heads/${text}`, `refs/tags/${text}`];
  if (prefer === 'tag') names.reverse();
  return /^(?:heads|tags)\//.test(text) ? [`refs/${text}`, ...names] : names;
}

async function revisionOf(repo: Repository, oid: string, ref: string | null): Promise<Revision | null> {
  const commit = await peel(repo, oid);
  return commit === null ? null : { oid: commit, ref };
}

/**
 * Peels annotated tags to a commit; null if the object leads to none.
 * @param oid complete id of a commit or tag
 */
export async function peel(repo: Repository, oid: string): Promise<string | null> {
  // An object in the commit-graph is a commit, so it is read only when its fields are shown.
  if ((await repo.history.has(oid)) || (await repo.objects.commit(oid)) !== null) return oid;
  return (await repo.objects.info(`${oid}^{commit}`))?.oid ?? null;
}

async function resolveShort(repo: Repository, prefix: string): Promise<Revision | null> {
  // Any new object may make it ambiguous.
  currentScope().validators?.add(() => false);
  const commit = await repo.objects.info(`${prefix}^{commit}`);
  if (commit === null) return null;
  if (commit.oid.startsWith(prefix)) return { oid: commit.oid, ref: null };
  // Either the id of a tag of this commit, or git took the digits for a reference name.
  const tag = await repo.objects.info(prefix);
  return tag?.oid.startsWith(prefix) ? await revisionOf(repo, tag.oid, null) : null;
}

async function walk(repo: Repository, start: string, suffix: string): Promise<string | null> {
  let oid = start;
  let steps = 0;
  for (const [, operator, digits] of suffix.matchAll(/([~^])(\d*)/g)) {
    const count = digits === '' ? 1 : Number(digits);
    const parents =
      operator === '~' ? Array<number>(Math.min(count, MAX_STEPS + 1)).fill(1) : count === 0 ? [] : [count];
    for (const parent of parents) {
      steps += 1;
      const next = steps > MAX_STEPS ? undefined : (await repo.objects.commit(oid))?.parents[parent - 1];
      if (next === undefined) return null;
      oid = next;
    }
  }
  return oid;
}
