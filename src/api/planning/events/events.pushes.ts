import type { DomainEvents } from '../../../core/core.domain-events.ts';
import type { PushData } from '../../../db/tables/events.table.ts';
import { GitError } from '../../../git/common/index.ts';
import { countCommits } from '../../../git/history/index.ts';
import type { Repository } from '../../../git/repository/index.ts';

type Update = DomainEvents['push']['updates'][number];
type RefType = PushData['ref_type'];
/** The default branch after a push; null for none. */
type DefaultBranch = NonNullable<DomainEvents['push']['default_branch']> | null;

/** Maximum number of commits to count. */
const MAX_COMMITS = 10_000;
const MAX_TITLE = 70;
/** Maximum number of refs of a push that is recorded in its own transaction. */
const MAX_SYNCHRONOUS = 10;

const FOLDERS: readonly (readonly [RefType, string])[] = [
  ['branch', 'refs/heads/'],
  ['tag', 'refs/tags/'],
];
const ACTIONS = ['created', 'removed', 'pushed'] as const;

const actionOf = ({ old, new: oid }: Update): PushData['action'] =>
  old === null ? 'created' : oid === null ? 'removed' : 'pushed';

/** The first line, cut to 70 characters, ellipsis included. */
function titleOf(message: string): string {
  const line = message.trimStart().split('\n', 1)[0]!.trim();
  const characters = [...line];
  return characters.length <= MAX_TITLE ? line : `${characters.slice(0, MAX_TITLE - 3).join('')}...`;
}

/** Runs a git query; returns `otherwise` if git no longer has the objects. */
async function ifThere<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GitError && ['failed', 'not_found', 'corrupt', 'invalid'].includes(error.code))
      return otherwise;
    throw error;
  }
}

/** The current default branch, for events of earlier versions, which do not contain it. */
async function defaultBranchNow(repo: Repository): Promise<DefaultBranch> {
  const name = await repo.refs.head();
  return name === null ? null : { name, sha: await repo.refs.resolve(`refs/heads/${name}`) };
}

/**
 * New commits of a created or updated branch: all commits of the first branch, else those that the default branch
 * lacks.
 */
async function newCommits(repo: Repository, { ref, old, new: oid }: Update, input?: DefaultBranch): Promise<number> {
  const base = old !== null ? null : input === undefined ? await defaultBranchNow(repo) : input;
  const tip = old ?? (base === null || ref === `refs/heads/${base.name}` ? null : base.sha);
  return countCommits(repo, [oid!], { ...(tip === null ? {} : { not: [tip] }), limit: MAX_COMMITS });
}

async function commitsOf({ repo, base }: PushedUpdate, type: RefType, update: Update): Promise<number> {
  if (update.commit !== undefined) return 1;
  if (update.new === null || repo === null) return 0;
  return type === 'tag' ? 1 : ifThere(() => newCommits(repo, update, base), 0);
}

async function titleAt(repo: Repository | null, { new: oid, commit: known }: Update): Promise<string | null> {
  if (known !== undefined) return titleOf(known.message);
  if (oid === null || repo === null) return null;
  const tag = await repo.objects.tag(oid);
  const commit = await repo.objects.commit(tag?.object ?? oid);
  return commit === null ? null : titleOf(commit.message);
}

/** Whether the feed can record a push synchronously: few refs, with all data in the event. */
export const isRecordedSynchronously = ({ updates }: Pick<DomainEvents['push'], 'updates'>): boolean =>
  updates.length <= MAX_SYNCHRONOUS &&
  updates.every(
    ({ ref, new: oid, commit }) =>
      oid === null || commit !== undefined || !FOLDERS.some(([_type, folder]) => ref.startsWith(folder)),
  );

async function single(pushedUpdate: PushedUpdate, type: RefType, folder: string, update: Update): Promise<PushData> {
  const count = await commitsOf(pushedUpdate, type, update);
  const title = count === 0 ? null : await ifThere(() => titleAt(pushedUpdate.repo, update), null);
  return {
    commit_count: type === 'tag' && title === null ? 0 : count,
    action: actionOf(update),
    ref_type: type,
    commit_from: update.old,
    commit_to: update.new,
    ref: update.ref.slice(folder.length),
    commit_title: title,
    ref_count: null,
  };
}

/** Context for the entries of a push. */
interface PushedUpdate {
  /** Null if git is not needed. */
  repo: Repository | null;
  base: DefaultBranch | undefined;
}

const bulk = (type: RefType, action: PushData['action'], amount: number): PushData => ({
  commit_count: 0,
  action,
  ref_type: type,
  commit_from: null,
  commit_to: null,
  ref: null,
  commit_title: null,
  ref_count: amount,
});

/**
 * Feed entries of a push (part 1, section 4.11): one for each created, deleted or updated branch and tag, or a single
 * one with the count if there are more than `limit` of a kind. Other refs cause no entries.
 * @param repo null if `isRecordedSynchronously`
 * @throws GitError if git is temporarily unavailable
 */
export async function pushEntries(
  repo: Repository | null,
  { updates, default_branch: base }: Pick<DomainEvents['push'], 'updates' | 'default_branch'>,
  limit: number,
): Promise<PushData[]> {
  const entries: PushData[] = [];
  for (const [type, folder] of FOLDERS) {
    const ofType = updates.filter(({ ref, old, new: oid }) => ref.startsWith(folder) && old !== oid);
    for (const action of ACTIONS) {
      const same = ofType.filter((update) => actionOf(update) === action);
      if (same.length > limit) entries.push(bulk(type, action, same.length));
      else for (const update of same) entries.push(await single({ repo, base }, type, folder, update));
    }
  }
  return entries;
}
