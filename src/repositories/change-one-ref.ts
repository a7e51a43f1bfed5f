import { storageRefusal } from '../access/storage-limit.ts';
import type { ChangeCause } from '../core/change-cause.ts';
import { refused } from '../core/core.errors.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import type { Deps } from '../deps.ts';
import { isAncestor, refsContaining } from '../git/history/index.ts';
import type { Repository } from '../git/repository/index.ts';
import { changeRefs } from './change-refs.ts';
import { guardChanges, refuseChange, rememberGit } from './check-changes.ts';
import { ofProject } from './holder.ts';
import { requirePushRules } from './push-rules/check-push-rules.ts';
import { type Actor, loadRefRules } from './repository.protections.ts';

/**
 * Moves one ref through the API if the actor may do so, by the same rules as a push. Must be called inside
 * `inRepositoryQueue`.
 * @throws ApiError 400 with the reason of a refusal; GitError `conflict` if the ref differs from `change.old`
 */
export async function changeOneRef(
  deps: Deps,
  repo: Repository,
  project: Project,
  actor: Actor,
  change: RefChange,
  cause?: ChangeCause,
): Promise<void> {
  const { ask, known } = rememberGit({
    isAncestor: (ancestor, descendant) => isAncestor(repo, ancestor, descendant),
    branchesWith: async (oid) => {
      const refs = await refsContaining(repo, oid, ['refs/heads/']);
      return refs.map((ref) => ref.slice('refs/heads/'.length));
    },
  });
  const check = { actor, defaultBranch: await repo.refs.head(), via: 'api' as const };
  const { protections, pushRule } = await loadRefRules(deps, project.id);
  const reason = await refuseChange({ ...check, ...ask, deps, protections }, change);
  if (reason !== null) throw refused(reason);
  const verdict = await requirePushRules(deps, repo, pushRule, {
    userId: actor.caller.user?.id ?? null,
    changes: [change],
    defaultBranch: check.defaultBranch,
  });
  const full = change.new === null ? null : await storageRefusal(deps, project);
  if (full !== null) throw refused(full);
  await changeRefs(deps, repo, {
    holder: ofProject(project),
    userId: actor.caller.user?.id ?? null,
    updates: [change],
    cause,
    guard: guardChanges({ ...check, ...known }, project.id, [change], verdict),
  });
}
