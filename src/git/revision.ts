import { currentScope } from '../core/request-scope.ts';
import { isOid } from './git.objects.ts';
import type { Repository } from './git.repository.ts';

export interface Revision {
  /** The commit. */
  oid: string;
  /** Full name of the reference that was meant; null for an object id and where a `~` or `^` follows. */
  ref: string | null;
}

const FOLDERS = /^refs\/(?:heads|tags|merge-requests|pipelines|keep-around)\//;
const SUFFIX = /^([^~^]+)((?:[~^]\d{0,4})*)$/;
const SHORT_OID = /^[0-9a-f]{4,63}$/;
const MAX_LENGTH = 1_200;
/** Commits that `~n` and `^n` may walk over in one revision. */
const MAX_STEPS = 1_000;

/**
 * What a text that a user gives for a commit means: a branch, a tag, a complete or shortened (4 digits or more)
 * commit id, `HEAD`, `heads/x`, `tags/x` or a full name, with any number of `~n` and `^n`. A reference wins over a
 * shortened id, a complete id over all. Nothing else of git's revision language is understood.
 * @param options `prefer`: which of a branch and a tag of one name is meant; default `branch`
 * @returns null where there is no such commit, or more than one
 * @throws GitError `corrupt` where the reference is broken
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

/** The full names a text can stand for, the one that wins first. */
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
 * The commit that an object leads to through any annotated tags; null where it leads to none.
 * @param oid complete id of a commit or tag
 */
export async function peel(repo: Repository, oid: string): Promise<string | null> {
  // What the commit-graph has is a commit: it is read once, where its fields are shown.
  if ((await repo.history.has(oid)) || (await repo.objects.commit(oid)) !== null) return oid;
  return (await repo.objects.info(`${oid}^{commit}`))?.oid ?? null;
}

async function resolveShort(repo: Repository, prefix: string): Promise<Revision | null> {
  // What it means may change with any object that comes.
  currentScope().validators?.add(() => false);
  const commit = await repo.objects.info(`${prefix}^{commit}`);
  if (commit === null) return null;
  if (commit.oid.startsWith(prefix)) return { oid: commit.oid, ref: null };
  // Either the id of a tag that leads to this commit, or git took the digits for the name of some reference.
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
