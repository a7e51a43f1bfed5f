import { requireSnippetUpdate } from '../access/access.snippets.ts';
import type { Caller } from '../access/caller.ts';
import { storageRefusal } from '../access/storage-limit.ts';
import { ApiError } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { findRefConflict } from '../git/refs/index.ts';
import { type Repository, repositorySize } from '../git/repository/index.ts';
import {
  type CheckContext,
  type CheckVerdict,
  PushedHistory,
  type PushedRef,
  type PushHandlers,
  type UpdateContext,
  type UpdateResult,
} from '../git/transport/index.ts';
import { type ChangeGuard, changeRefs, inRepositoryQueue, repositoryOf } from '../repositories/change-refs.ts';
import { guardChanges, refuseChanges, rememberGit } from '../repositories/check-changes.ts';
import { checkPushRules, type PushRuleVerdict } from '../repositories/push-rules/check-push-rules.ts';
import { READ_ONLY } from '../repositories/read-only.ts';
import {
  type LockSnapshot,
  lockedByPush,
  refuseNewerLocks,
  snapshotLocks,
} from '../repositories/repository.lfs-locks.ts';
import { missingLfsObjects } from '../repositories/repository.lfs-objects.ts';
import { type Actor, loadRefRules } from '../repositories/repository.protections.ts';
import { refusePushedFiles, SNIPPET_REF } from '../repositories/snippet-files.ts';
import { applicationSettings } from '../settings/application-settings.ts';
import { refusalOfBytes, repositorySizeLimit, repositorySizeRefusal } from '../settings/repository-size-limit.ts';
import { afterPush } from './after-push/after-push.message.ts';
import { type GitAccess, type ProjectAccess, requireDeployKeyPush, type SnippetAccess } from './git-server.access.ts';
import { guardWiki, refuseInWiki } from './wiki-access.ts';

/** Maximum number of refs in one push. */
export const MAX_REFS = 20_000;
/**
 * Maximum number of attempts with groups of refs if the refs cannot all move together. Allows some hundred individual
 * refusals.
 */
const MAX_ATTEMPTS = 1_000;
const TOO_MANY_REFUSED = 'too many refs of this push are refused; push fewer refs at once';
/** Refusal for a push that requires more work than allowed, such as a few trees that expand to many files. */
const TOO_LARGE = 'The push is too large to be checked. Push it in several parts.';
/** Maximum number of new refs that are checked for name conflicts. */
const MAX_EXPLAINED = 1_000;

type GitFacts = ReturnType<typeof rememberGit>;
/** Facts collected while a push is checked, and the verdict of the push rules. */
type Checking = GitFacts & { found: { judged: PushRuleVerdict | null } };
/** Facts about a checked push. */
type Checked = GitFacts & { locks: LockSnapshot | null; judged: PushRuleVerdict | null };

/** Handlers that check one push of an authorized caller and move its refs. */
export function pushHandlers(deps: Deps, access: GitAccess): PushHandlers {
  let history: PushedHistory | null = null;
  let locks: LockSnapshot | null = null;
  const found: { judged: PushRuleVerdict | null } = { judged: null };
  const repo = repositoryOf(deps, access.holder);
  const facts = rememberGit({
    isAncestor: (ancestor, descendant) => history!.isAncestor(ancestor, descendant),
  });
  return {
    check: async (updates, context) => {
      if (access.kind === 'project') locks = await snapshotLocks(deps, access.project);
      const present = updates.flatMap(({ old }) => (old === null ? [] : [old]));
      history = new PushedHistory(repo, context.quarantineEnv, present);
      try {
        return await checkPush(deps, access, { ...facts, found }, updates, context);
      } finally {
        history.close();
      }
    },
    update: (updates, context) => applyPush(deps, access, { ...facts, locks, ...found }, updates, context),
  };
}

/** Checks a push before its objects enter the repository. One refused ref refuses the whole push, with its reason. */
async function checkPush(
  deps: Deps,
  access: GitAccess,
  facts: Checking,
  updates: readonly PushedRef[],
  context: CheckContext,
): Promise<CheckVerdict> {
  if (access.readOnly) return { ok: false, message: `Stithy: ${READ_ONLY}` };
  const reason = await refuse(deps, access, facts, updates, context).catch((error: unknown) => {
    if (error instanceof GitError && error.permanent) return TOO_LARGE;
    throw error;
  });
  return reason === null ? { ok: true } : { ok: false, message: `Stithy: ${reason}` };
}

function refuse(
  deps: Deps,
  access: GitAccess,
  facts: Checking,
  updates: readonly PushedRef[],
  context: CheckContext,
): Promise<string | null> {
  switch (access.kind) {
    case 'project':
      return refuseInProject(deps, access, facts, updates, context.quarantineEnv);
    case 'snippet':
      return refuseInSnippet(deps, access, updates, context);
    case 'wiki':
      return refuseInWiki(deps, access, updates);
  }
}

async function refuseInProject(
  deps: Deps,
  access: ProjectAccess,
  { ask, found }: Checking,
  updates: readonly PushedRef[],
  env: CheckContext['quarantineEnv'],
): Promise<string | null> {
  const { project } = access;
  const { protections, pushRule } = await loadRefRules(deps, project.id);
  const defaultBranch = await repositoryOf(deps, project).refs.head();
  const check = {
    deps,
    actor: actorOf(access),
    protections,
    defaultBranch,
    via: 'git' as const,
    ...ask,
  };
  const reason = await refuseChanges(check, updates);
  if (reason !== null) return reason;
  const repo = repositoryOf(deps, project);
  const adds = updates.some((update) => update.new !== null);
  const userId = pusherOf(access.caller);
  const arrival = { userId, changes: updates, defaultBranch, via: 'git', env } as const;
  const judged = await checkPushRules(deps, repo, pushRule, arrival);
  if (judged.reason !== null) return judged.reason;
  found.judged = judged;
  return (
    (adds ? ((await tooLarge(deps, project, env)) ?? (await storageRefusal(deps, project))) : null) ??
    (await missingLfsObjects(deps, repo, project, env)) ??
    (await lockedByPush(deps, repo, project, userId, branchHeads(updates), env))
  );
}

/** Returns the refusal if the incoming objects exceed the storage limits, else null. */
async function tooLarge(deps: Deps, project: Project, env: CheckContext['quarantineEnv']): Promise<string | null> {
  if (repositorySizeLimit(deps) === 0) return null;
  const full = repositorySizeRefusal(deps, project, 'push');
  if (full !== null) return full;
  const arrived = env.GIT_QUARANTINE_PATH;
  return arrived === undefined ? null : refusalOfBytes(deps, project, await repositorySize(arrived));
}

/** New commits of the pushed branches. */
const branchHeads = (updates: readonly PushedRef[]): string[] => [
  ...new Set(updates.flatMap(({ ref, new: head }) => (ref.startsWith('refs/heads/') && head !== null ? [head] : []))),
];

const actorOf = ({ caller, permissions, collaborates, deployKey }: ProjectAccess): Actor => ({
  caller,
  permissions,
  ...(deployKey?.pushes === true ? { deployKeyId: deployKey.id } : {}),
  ...(collaborates === undefined ? {} : { collaborates }),
});

/** The user who pushes; with a deploy key, the user who created the key. */
const pusherOf = ({ user, credential }: Caller): number | null =>
  user?.id ?? (credential.kind === 'deploy_key' ? credential.key.user_id : null);

/** Checks rights again in the transaction, since the pusher may lose them while the push waits. */
function guardOf(
  access: GitAccess,
  { known, locks, judged }: Checked,
  defaultBranch: string | null,
  updates: readonly PushedRef[],
): ChangeGuard {
  if (access.kind === 'snippet') return (deps) => requireSnippetUpdate(deps, access.caller, access.holder.id);
  if (access.kind === 'wiki') return guardWiki(access);
  const check = { actor: actorOf(access), defaultBranch, via: 'git', ...known } as const;
  const guard = guardChanges(check, access.project.id, updates, judged);
  return async (deps, project) => {
    await guard(deps, project);
    if (access.deployKey !== undefined) await requireDeployKeyPush(deps, access.deployKey.id, access.project.id);
    if (locks !== null) await refuseNewerLocks(deps, locks, access.caller.user?.id ?? null);
  };
}

/** A snippet has a single branch. Its files are subject to the same rules as those sent through the API. */
async function refuseInSnippet(
  deps: Deps,
  { holder }: SnippetAccess,
  updates: readonly PushedRef[],
  { quarantineEnv }: CheckContext,
): Promise<string | null> {
  const [update, ...others] = updates;
  if (update?.ref !== SNIPPET_REF || update.old === null || update.new === null || others.length > 0) {
    return 'You can not create or delete branches.';
  }
  try {
    return await refusePushedFiles(
      repositoryOf(deps, holder),
      update.new,
      quarantineEnv,
      (await applicationSettings(deps)).snippet_size_limit,
    );
  } catch (error) {
    if (error instanceof GitError && error.code === 'failed') return 'The files of the push cannot be read.';
    throw error;
  }
}

/** Moves the refs of an accepted push, atomically or one by one as the client requested, then applies its options. */
async function applyPush(
  deps: Deps,
  access: GitAccess,
  facts: Checked,
  updates: readonly PushedRef[],
  context: UpdateContext,
): Promise<UpdateResult> {
  const { reasons } = await moveRefs(deps, access, facts, updates, context);
  if (access.kind !== 'project') return { reasons };
  const moved = updates.filter((_, index) => reasons[index] === null);
  return { reasons, message: await afterPush(deps, access, moved, context.pushOptions) };
}

async function moveRefs(
  deps: Deps,
  access: GitAccess,
  facts: Checked,
  updates: readonly PushedRef[],
  { atomic, pushOptions }: UpdateContext,
): Promise<UpdateResult> {
  const { caller, holder } = access;
  const userId = pusherOf(caller);
  const via = caller.credential.kind === 'job_token' ? 'job' : 'git';
  return inRepositoryQueue(deps, holder, async (repo) => {
    const defaultBranch = await repo.refs.head();
    const apply = async (some: readonly PushedRef[]): Promise<string | null> => {
      try {
        const guard = guardOf(access, facts, defaultBranch, some);
        await changeRefs(deps, repo, { holder, userId, updates: some, via, pushOptions, guard });
        return null;
      } catch (error) {
        if (error instanceof ApiError) return error.message;
        const reason = error instanceof GitError ? await explain(repo, some, error) : null;
        if (reason !== null) return reason;
        deps.log.log('error', 'a push could not move its refs', {
          [`${holder.type}_id`]: holder.id,
          error: String(error),
        });
        return {
          disk_full: 'the disk of the server is full',
          unavailable: 'the database cannot be reached; try again',
          denied: 'the server cannot read or write the files of the repository',
          no_git: 'git cannot be found on the server',
          none: 'failed to update ref',
        }[environmentFaultOf(error) ?? 'none'];
      }
    };
    const reason = await apply(updates);
    if (reason === null || atomic || updates.length === 1) return { reasons: updates.map(() => reason) };
    // Deletions come first: removing `feature` may allow `feature/x`.
    const order = updates.map((_, index) => index).sort((a, b) => rank(updates[a]!) - rank(updates[b]!));
    const reasons: (string | null)[] = [];
    let attempts = 0;
    for (const groups = halves(order); groups.length > 0; ) {
      const group = groups.shift()!;
      attempts += 1;
      const reason = attempts > MAX_ATTEMPTS ? TOO_MANY_REFUSED : await apply(group.map((index) => updates[index]!));
      // Halves a failed group, so that a few refused refs do not affect the others.
      if (reason !== null && group.length > 1 && attempts <= MAX_ATTEMPTS) groups.unshift(...halves(group));
      else for (const index of group) reasons[index] = reason;
    }
    return { reasons };
  });
}

const halves = <T>(all: readonly T[]): T[][] => {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
};

/** Parent paths of a ref; no other ref may have one of these names. */
const foldersOf = (ref: string): string[] => {
  const parts = ref.split('/');
  return parts.slice(2, -1).map((_, at) => parts.slice(0, at + 3).join('/'));
};

const rank = (update: PushedRef): number => (update.new === null ? 0 : 1);

/** Returns the reason why refs could not be moved, or null if the push is not the cause. */
async function explain(repo: Repository, updates: readonly PushedRef[], { code }: GitError): Promise<string | null> {
  if (code !== 'conflict' && code !== 'invalid') return null;
  const names = new Set(updates.map(({ ref }) => ref));
  const below = new Map(updates.flatMap(({ ref }) => foldersOf(ref).map((folder) => [folder, ref] as const)));
  for (const { ref } of updates.filter(({ old }) => old === null).slice(0, MAX_EXPLAINED)) {
    const beside = below.get(ref) ?? foldersOf(ref).find((folder) => names.has(folder));
    const other = (await findRefConflict(repo.refs, ref)) ?? beside;
    if (other !== undefined) return `'${other}' exists; cannot create '${ref}'`;
  }
  return code === 'conflict' ? 'the ref was changed meanwhile; fetch and try again' : 'funny refname or not a commit';
}
