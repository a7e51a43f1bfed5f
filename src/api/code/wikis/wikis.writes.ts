import type { UserCaller } from '../../../access/caller.ts';
import { revalidateGroupAbility, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import type { ChangeCause } from '../../../core/change-cause.ts';
import { invalidModel, notFound, refused } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { CommitError, type FileAction, writeActions } from '../../../git/commits/index.ts';
import { GitError } from '../../../git/common/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { refuseRefConflict } from '../../../repositories/branch-names.ts';
import { changeRefs, inRepositoryQueue } from '../../../repositories/change-refs.ts';
import { ofWiki } from '../../../repositories/holder.ts';
import { ensureWiki } from '../../../repositories/repository.wikis.ts';
import { ABILITIES, type WikiScope } from './wikis.access.ts';
import { headOf, type PageIndex, pagesOf } from './wikis.pages.ts';

const MAX_TRIES = 3;

/** A commit to a wiki. */
export interface WikiCommit {
  actions: readonly FileAction[];
  message: string;
  cause?: ChangeCause;
}

/** State of a wiki before a commit. */
export interface WikiState {
  pages: PageIndex;
  repo: Repository;
  /** Commit of its branch. */
  head: string | null;
}

/** Wiki, caller and ability of a change. */
export interface WikiChange {
  scope: WikiScope;
  caller: UserCaller;
  ability: 'create' | 'admin';
  /** Branch to commit to; the default branch when absent. */
  branch?: string | undefined;
}

/**
 * Commits to the wiki of a project or group, which is created if necessary. If another commit comes first, `decide` is
 * called again, so that concurrent writes are not lost.
 * @param decide returns the commit for the current pages; null for none
 * @returns the pages after the commit, and the branch
 * @throws ApiError 400 if it cannot be committed; 401, 403, 404 if the caller has lost the right; errors of `decide`
 */
export async function commitToWiki(
  deps: Deps,
  change: WikiChange,
  decide: (state: WikiState) => Promise<WikiCommit | null> | WikiCommit | null,
): Promise<{ branch: string; repo: Repository; head: string | null }> {
  const wiki = await ensureWiki(deps, change.scope.owner);
  const holder = ofWiki(wiki);
  return inRepositoryQueue(deps, wiki, async (repo) => {
    for (let attempt = 1; ; attempt += 1) {
      const { branch, old } = await startOf(repo, change.branch);
      try {
        const commit = await decide({ pages: await pagesOf(repo, old), repo, head: old });
        if (commit === null) return { branch, repo, head: old };
        const oid = await writeCommit(deps, repo, change, old, commit);
        await changeRefs(deps, repo, {
          holder,
          userId: change.caller.user.id,
          updates: [{ ref: `refs/heads/${branch}`, old, new: oid }],
          ...(commit.cause === undefined ? {} : { cause: commit.cause }),
          guard: (deps) => requireChange(deps, change),
        });
        return { branch, repo, head: oid };
      } catch (error) {
        if (error instanceof CommitError) throw invalidModel({ base: [error.message] });
        if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
        await refuseRefConflict(repo, branch);
        if (attempt === MAX_TRIES)
          throw refused('The wiki is being changed by another request. Please try again.', 409);
      }
    }
  });
}

/** Returns the commit of a branch; a missing branch is created in empty wikis only. @throws ApiError 400 */
async function startOf(
  repo: Repository,
  requestedBranch: string | undefined,
): Promise<{ branch: string; old: string | null }> {
  const { branch, oid } = await headOf(repo);
  if (requestedBranch === undefined || requestedBranch === branch) return { branch, old: oid };
  const old = await repo.refs.resolve(`refs/heads/${requestedBranch}`);
  if (old === null && (await repo.refs.list('refs/heads/')).length > 0) {
    throw refused('You can only create or edit files when you are on a branch');
  }
  return { branch: requestedBranch, old };
}

async function writeCommit(
  deps: Deps,
  repo: Repository,
  { caller: { user } }: WikiChange,
  base: string | null,
  { actions, message }: WikiCommit,
): Promise<string> {
  const who = { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() };
  const { oid } = await writeActions(repo, { base, actions, author: who, committer: who, message });
  return oid;
}

/** Checks the ability again, with the handle of the transaction. @throws ApiError 401, 403, 404 */
async function requireChange(deps: Deps, { scope: { owner }, caller, ability }: WikiChange): Promise<void> {
  if (owner.type === 'project') {
    await revalidateProjectAbility(deps, deps.db, caller, owner.id, ABILITIES[ability].project);
  } else {
    await revalidateGroupAbility(deps, deps.db, caller, owner.id, ABILITIES[ability].group);
  }
}

/** @throws ApiError 404 `404 Wiki Page Not Found` */
export function requirePage<T>(page: T | undefined | null): T {
  if (page === undefined || page === null) throw notFound('Wiki Page');
  return page;
}
