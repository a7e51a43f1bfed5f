import type { UserCaller } from '../access/caller.ts';
import { callerInProject } from '../access/caller-in-project.ts';
import { storageRefusal } from '../access/storage-limit.ts';
import type { ChangeCause } from '../core/change-cause.ts';
import { forbidden, notFound, refused } from '../core/core.errors.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { PushRule } from '../db/tables/push-rules.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { CommitError, type FileAction, prepareCommit } from '../git/commits/index.ts';
import { GitError, isValidBranchName } from '../git/common/index.ts';
import { lastCommitOf } from '../git/history/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { repositorySizeRefusal } from '../settings/repository-size-limit.ts';
import { refuseRefConflict } from './branch-names.ts';
import { changeRefs, inRepositoryQueue, repositoryOf } from './change-refs.ts';
import { copyCommit } from './copy-commit.ts';
import { ofProject } from './holder.ts';
import { refuseByVerdict, requirePushRules } from './push-rules/check-push-rules.ts';
import { refuseLocked } from './repository.lfs-locks.ts';
import {
  type Actor,
  canPushTo,
  loadProtections,
  loadRefRules,
  protectionsOf,
  type RefRules,
} from './repository.protections.ts';
import { revalidateActor } from './revalidate-actor.ts';

export interface CommitFilesRequest {
  project: Project;
  actor: Actor & { caller: UserCaller };
  branch: string;
  message: string;
  /** Actions, or a function that computes them from the commit they are applied to (null in an empty repository). */
  actions: readonly FileAction[] | ((repo: Repository, base: string | null) => Promise<readonly FileAction[]>);
  authorName?: string | undefined;
  authorEmail?: string | undefined;
  startBranch?: string | undefined;
  startSha?: string | undefined;
  /** Project in which `startBranch` and `startSha` are resolved; default: the project itself. */
  startProject?: Project | undefined;
  /** Replaces the branch by a commit on the start. */
  force?: boolean | undefined;
  allowEmpty?: boolean | undefined;
  /** Refusal if `lastCommitId` of an action is outdated. */
  staleMessage?: string;
  /** Status of the refusal for a branch that the actor may not push to; default 400. */
  notAllowed?: 400 | 403;
  /** Why the commit is made, with its id; stored with the change. */
  cause?: (oid: string) => ChangeCause;
  /** Further check in the transaction that announces the change. @throws ApiError for a refusal */
  guard?: (deps: Deps) => Promise<void>;
}

const notAllowed = ({ notAllowed }: CommitFilesRequest) => {
  const text = 'You are not allowed to push into this branch';
  return notAllowed === 403 ? forbidden(text) : refused(text);
};
const MAX_TRIES = 3;

interface Start {
  /** Commit to which the actions are applied; null in an empty repository. */
  base: string | null;
  /** Current head of the branch; null if it is created. */
  head: string | null;
}

/**
 * Creates one commit from file actions and moves the branch to it (part 1, sections 4.1 and 4.2). Atomic: a refusal
 * leaves no trace. Concurrent writers to one branch never lose a commit.
 * @returns the id of the commit
 * @throws ApiError 400 with the platform's text, `notAllowed` for a branch that the actor may not push to
 */
export async function commitFiles(deps: Deps, request: CommitFilesRequest): Promise<string> {
  const { project, branch } = request;
  if (!isValidBranchName(branch)) throw refused('Branch name is invalid');
  if (request.message.trim() === '') throw refused('You must provide a commit message');
  const { pushRule } = await requirePush(deps, request.actor, request);
  const full = repositorySizeRefusal(deps, project, 'commit') ?? (await storageRefusal(deps, project));
  if (full !== null) throw refused(full);
  return inRepositoryQueue(deps, project, async (repo) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptCommit(deps, repo, request, pushRule);
      } catch (error) {
        if (error instanceof CommitError) {
          throw refused(error.code === 'file_changed' ? (request.staleMessage ?? error.message) : error.message);
        }
        if (!(error instanceof GitError)) throw error;
        if (error.code === 'conflict') await refuseRefConflict(repo, branch);
        // Another process has moved the branch, so the actions are applied again to its new head.
        if (error.code === 'conflict' && attempt < MAX_TRIES) continue;
        if (error.code === 'conflict' || error.code === 'invalid')
          throw refused(`Could not update refs/heads/${branch}. Please refresh and try again.`);
        throw error;
      }
    }
  });
}

async function requirePush(deps: Deps, actor: Actor, request: CommitFilesRequest): Promise<RefRules> {
  const { project, branch } = request;
  const rules = await loadRefRules(deps, project.id);
  if (!(await canPushTo(deps, actor, rules.protections, branch))) throw notAllowed(request);
  return rules;
}

async function attemptCommit(
  deps: Deps,
  repo: Repository,
  request: CommitFilesRequest,
  rule: PushRule | null,
): Promise<string> {
  const { branch, actor } = request;
  const { base, head } = await findStart(deps, repo, request);
  const actions = typeof request.actions === 'function' ? await request.actions(repo, base) : request.actions;
  const { user } = actor.caller;
  const date = deps.clock.now();
  const committer = { name: user.name, email: user.commit_email ?? user.email, date };
  const made = await prepareCommit(repo, {
    base,
    actions,
    author: { name: request.authorName || committer.name, email: request.authorEmail || committer.email, date },
    committer,
    message: request.message,
    ...(base === null ? {} : { lastCommitOf: (path: string) => lastCommitOf(repo, base, path) }),
  });
  if (made.tree === made.baseTree && request.allowEmpty !== true) {
    throw refused('The commit is empty: it changes nothing');
  }
  const updates = [{ ref: `refs/heads/${branch}`, old: head, new: made.oid }];
  const stored = made.store();
  const ended = stored.catch(() => {});
  try {
    // The change is announced and its branch locked while its objects are still being written. But push rules must read
    // the objects, and a branch must not be locked for long: others wait for it a tenth of a second.
    if (rule !== null || !made.isSmall) await stored;
    await moveBranch(deps, repo, request, { actions, start: { base, head }, updates, stored, rule });
  } finally {
    await ended;
  }
  return made.oid;
}

interface Move {
  actions: readonly FileAction[];
  start: Start;
  updates: readonly RefChange[];
  stored: Promise<ReadonlySet<string>>;
  rule: PushRule | null;
}

async function moveBranch(
  deps: Deps,
  repo: Repository,
  request: CommitFilesRequest,
  { actions, start: { base, head }, updates, stored, rule }: Move,
): Promise<void> {
  const { project, actor } = request;
  const { user } = actor.caller;
  const verdict = await requirePushRules(deps, repo, rule, {
    userId: user.id,
    changes: updates,
    defaultBranch: await repo.refs.head(),
    made: { oids: updates.map((update) => update.new), from: 'input' },
  });
  await changeRefs(deps, repo, {
    holder: ofProject(project),
    userId: user.id,
    updates,
    stored,
    cause: request.cause?.(updates[0]!.new!),
    guard: async (deps, row) => {
      const now = await revalidateActor(deps, actor, project.id, row);
      const { pushRule } = await requirePush(deps, now, request);
      // A branch shared by a merge request can be moved, but not created.
      if (head === null && !now.permissions.can('push_code')) throw notAllowed(request);
      if (base !== head && head !== null) await checkForce(deps, request);
      await refuseLocked(deps, project, user.id, touchedPaths(actions));
      await refuseByVerdict(deps, verdict, pushRule);
      await request.guard?.(deps);
    },
  });
}

const touchedPaths = (actions: readonly FileAction[]): string[] =>
  actions.flatMap((action) => ('previousPath' in action ? [action.path, action.previousPath] : [action.path]));

async function findStart(deps: Deps, repo: Repository, request: CommitFilesRequest): Promise<Start> {
  const { branch, startBranch, startSha, force = false } = request;
  const head = await repo.refs.resolve(`refs/heads/${branch}`);
  const elsewhere = request.startProject !== undefined && request.startProject.id !== request.project.id;
  if (startSha === undefined && (startBranch === undefined || (startBranch === branch && !elsewhere))) {
    if (head !== null) return { base: head, head };
    if ((await repo.refs.list('refs/heads/')).length === 0) return { base: null, head };
    throw refused('You can only create or edit files when you are on a branch');
  }
  if (head !== null && !force) {
    throw refused(`A branch called '${branch}' already exists. Switch to that branch in order to make changes`);
  }
  const source = elsewhere ? await startRepository(deps, request, request.startProject!) : repo;
  const base = await resolveStart(source, startBranch, startSha);
  if (base === null) {
    if (startSha !== undefined) throw refused(`Cannot find start_sha '${startSha}'`);
    throw refused('You can only create or edit files when you are on a branch');
  }
  if (elsewhere && (await repo.objects.info(base)) === null) await copyCommit(source, repo, base);
  if (head !== null) await checkForce(deps, request);
  return { base, head };
}

/** Repository of the start, which the actor may have lost access to during the wait. */
async function startRepository(deps: Deps, { actor }: CommitFilesRequest, { id }: Project): Promise<Repository> {
  const scope = await callerInProject(deps, actor.caller, id);
  if (scope?.permissions.can('read_code') !== true) throw notFound('Project');
  return repositoryOf(deps, scope.project);
}

async function resolveStart(repo: Repository, branch?: string, sha?: string): Promise<string | null> {
  if (sha !== undefined) {
    if (!/^[0-9a-f]{40}$|^[0-9a-f]{64}$/i.test(sha)) throw refused(`Invalid start_sha '${sha}'`);
    return (await repo.objects.commit(sha.toLowerCase())) === null ? null : sha.toLowerCase();
  }
  return repo.refs.resolve(`refs/heads/${branch}`);
}

async function checkForce(deps: Deps, request: CommitFilesRequest): Promise<void> {
  const { project, branch } = request;
  const matching = protectionsOf(await loadProtections(deps, project.id), 'branch', branch);
  if (matching.some(({ allow_force_push }) => allow_force_push === 0)) throw notAllowed(request);
}
