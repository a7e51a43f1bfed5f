import type { UserCaller } from '../access/caller.ts';
import { ApiError, forbidden, notFound, refused } from '../core/core.errors.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { writeCommit } from '../git/commits/index.ts';
import { GitError } from '../git/common/index.ts';
import { cherryPick, originalAuthor, revert } from '../git/merge/index.ts';
import type { Commit, NewObject } from '../git/objects/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { changeRefs, inRepositoryQueue, repositoryOf } from './change-refs.ts';
import { ofProject } from './holder.ts';
import { refuseByVerdict, requirePushRules } from './push-rules/check-push-rules.ts';
import { refuseLockedBetween, refuseNewerLocks, snapshotLocks } from './repository.lfs-locks.ts';
import { type Actor, canPushTo, loadRefRules, type RefRules } from './repository.protections.ts';
import { revalidateActor } from './revalidate-actor.ts';

export type PickKind = 'cherry-pick' | 'revert';

export interface PickRequest {
  kind: PickKind;
  project: Project;
  actor: Actor & { caller: UserCaller };
  /** Commit to apply or revert; for a merge commit, its change against the first parent. */
  commit: Commit;
  /** Branch that receives the new commit. */
  branch: string;
  /** Whether to only check if it would succeed. */
  dryRun: boolean;
  /** Message of the new commit; default: derived from the original one. */
  message?: string | undefined;
}

const MAX_TRIES = 3;

/** @throws ApiError 403 if the actor may not push to the branch */
export async function requirePush(deps: Deps, actor: Actor, project: Project, branch: string): Promise<RefRules> {
  const rules = await loadRefRules(deps, project.id);
  if (await canPushTo(deps, actor, rules.protections, branch)) return rules;
  throw forbidden('You are not allowed to push into this branch');
}

/**
 * Applies or reverts a commit on a branch by a new commit. `requirePush` must be called first.
 * @returns the id of the new commit; null for a dry run that would succeed
 * @throws ApiError 400 with `error_code` `conflict` or `empty`, 404 `404 Branch Not Found`
 */
export async function pickCommit(deps: Deps, request: PickRequest): Promise<string | null> {
  if (request.dryRun) {
    await pickedTree(repositoryOf(deps, request.project), request);
    return null;
  }
  return inRepositoryQueue(deps, request.project, async (repo) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptPick(deps, repo, request);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        // Another process has moved the branch, so the change is applied again to its new head.
        if (error.code === 'conflict' && attempt < MAX_TRIES) continue;
        if (error.code === 'conflict' || error.code === 'invalid') {
          throw refused(`Could not update refs/heads/${request.branch}. Please refresh and try again.`);
        }
        throw error;
      }
    }
  });
}

interface Picked {
  head: string;
  tree: string;
  objects: readonly NewObject[];
}

async function pickedTree(repo: Repository, request: PickRequest): Promise<Picked> {
  const { kind, commit, branch, dryRun } = request;
  const head = await repo.refs.resolve(`refs/heads/${branch}`);
  if (head === null) throw notFound('Branch');
  const mainline = commit.parents.length > 1 ? { mainline: 1 } : {};
  const pick = kind === 'revert' ? revert : cherryPick;
  const result = await pick(repo, { commit: commit.oid, onto: head, ...mainline });
  if (result.kind === 'clean') return { head, tree: result.tree, objects: result.objects };
  throw new ApiError(
    400,
    `Sorry, we cannot ${kind} this commit automatically. The branch already has its changes, or they conflict with newer changes.`,
    { error_code: result.kind, ...(dryRun ? { dry_run: 'error' } : {}) },
  );
}

async function attemptPick(deps: Deps, repo: Repository, request: PickRequest): Promise<string> {
  const { kind, project, commit, branch } = request;
  const { head, tree, objects } = await pickedTree(repo, request);
  const { user } = request.actor.caller;
  const committer = { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() };
  const author = kind === 'revert' ? committer : originalAuthor(commit);
  const message = request.message || (kind === 'revert' ? revertMessage(commit) : pickMessage(commit));
  const oid = await writeCommit(repo, { tree, parents: [head], author, committer, message }, objects);
  const locks = await snapshotLocks(deps, project);
  await refuseLockedBetween(deps, repo, project, user.id, [head, oid]);
  const updates = [{ ref: `refs/heads/${branch}`, old: head, new: oid }];
  const verdict = await requirePushRules(deps, repo, (await loadRefRules(deps, project.id)).pushRule, {
    userId: user.id,
    changes: updates,
    defaultBranch: await repo.refs.head(),
    made: { oids: [oid], from: 'commits' },
  });
  await changeRefs(deps, repo, {
    holder: ofProject(project),
    userId: user.id,
    updates,
    guard: async (deps, row) => {
      const actor = await revalidateActor(deps, request.actor, project.id, row);
      const { pushRule } = await requirePush(deps, actor, project, branch);
      await refuseNewerLocks(deps, locks, user.id);
      await refuseByVerdict(deps, verdict, pushRule);
    },
  });
  return oid;
}

const pickMessage = ({ message, oid }: Commit): string => `${message.trimEnd()}\n\n(cherry picked from commit ${oid})`;

const revertMessage = ({ message, oid }: Commit): string =>
  `Revert "${message.split('\n', 1)[0]!.trim()}"\n\nThis reverts commit ${oid}`;
