import { requireDeployKeyPush } from '../../access/key-caller.ts';
import { storageRefusal } from '../../access/storage-limit.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { type Repository, repositorySize } from '../../git/repository/index.ts';
import { PushedHistory, type PushedRef } from '../../git/transport/index.ts';
import { refusalOfBytes, repositorySizeLimit, repositorySizeRefusal } from '../../settings/repository-size-limit.ts';
import { repositoryOf } from '../change-refs.ts';
import { guardChanges, refuseChanges, rememberGit } from '../check-changes.ts';
import { checkPushRules, type PushRuleVerdict } from '../push-rules/check-push-rules.ts';
import { lockedByPush, refuseNewerLocks, snapshotLocks } from '../repository.lfs-locks.ts';
import { missingLfsObjects } from '../repository.lfs-objects.ts';
import { type Actor, loadRefRules } from '../repository.protections.ts';
import type { Push, PushGuard } from './move-pushed-refs.ts';

/** Checks a push to a project by its protections, push rules, limits and LFS locks. @returns as `GitTarget.check` */
export async function checkProjectPush(
  deps: Deps,
  project: Project,
  actor: Actor,
  push: Push,
): Promise<string | PushGuard> {
  const { caller, deployKeyId } = actor;
  const locks = await snapshotLocks(deps, project);
  const repo = repositoryOf(deps, project);
  const present = push.updates.flatMap(({ old }) => old ?? []);
  const history = new PushedHistory(repo, push.quarantineEnv, present);
  const { ask, known } = rememberGit({ isAncestor: (old, head) => history.isAncestor(old, head) });
  const verdict = await judge(deps, repo, project, { actor, ...ask }, push).finally(() => history.close());
  if (typeof verdict === 'string') return verdict;
  return (updates, defaultBranch) => {
    const check = { actor, defaultBranch, via: 'git', ...known } as const;
    const guard = guardChanges(check, project.id, updates, verdict);
    return async (deps, now) => {
      await guard(deps, now);
      if (deployKeyId !== undefined) await requireDeployKeyPush(deps, deployKeyId, project.id);
      await refuseNewerLocks(deps, locks, caller.user?.id ?? null);
    };
  };
}

/** Checks the refs, then their commits and files. @returns the refusal, else the verdict of the push rules */
async function judge(
  deps: Deps,
  repo: Repository,
  project: Project,
  of: { actor: Actor; isAncestor: PushedHistory['isAncestor'] },
  { updates: changes, quarantineEnv: env, userId }: Push,
): Promise<string | PushRuleVerdict> {
  const { protections, pushRule } = await loadRefRules(deps, project.id);
  const defaultBranch = await repo.refs.head();
  const reason = await refuseChanges({ ...of, deps, protections, defaultBranch, via: 'git' }, changes);
  if (reason !== null) return reason;
  const verdict = await checkPushRules(deps, repo, pushRule, { userId, changes, defaultBranch, via: 'git', env });
  return (
    verdict.reason ??
    (changes.some((change) => change.new !== null) ? await sizeRefusal(deps, project, env) : null) ??
    (await missingLfsObjects(deps, repo, project, env)) ??
    (await lockedByPush(deps, repo, project, userId, branchHeads(changes), env)) ??
    verdict
  );
}

/** Returns the refusal if the incoming objects exceed the storage limits, else null. */
async function sizeRefusal(deps: Deps, project: Project, env: Push['quarantineEnv']): Promise<string | null> {
  const arrived = env.GIT_QUARANTINE_PATH;
  if (repositorySizeLimit(deps) !== 0) {
    const full = repositorySizeRefusal(deps, project, 'push');
    if (full !== null) return full;
    const tooLarge = arrived === undefined ? null : refusalOfBytes(deps, project, await repositorySize(arrived));
    if (tooLarge !== null) return tooLarge;
  }
  return storageRefusal(deps, project);
}

/** New commits of the pushed branches. */
const branchHeads = (updates: readonly PushedRef[]): string[] => [
  ...new Set(updates.flatMap(({ ref, new: head }) => (ref.startsWith('refs/heads/') && head !== null ? [head] : []))),
];
