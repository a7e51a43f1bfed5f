import { ApiError } from '../core/errors.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/errors.ts';
import type { CheckContext, CheckVerdict, PushedRef, UpdateContext, UpdateResult } from '../git/transport/push.ts';
import { isAncestorInQuarantine } from '../git/transport/quarantine.ts';
import { changeRefs, inRepositoryQueue, repositoryOf } from '../repositories/change-refs.ts';
import { refuseChange } from '../repositories/check-changes.ts';
import { ofProject } from '../repositories/holder.ts';
import { loadProtections } from '../repositories/protections.ts';
import type { GitAccess } from './access.ts';

const MAX_REFS = 20_000;

/** Decides about a push before its objects enter the repository: one refused ref refuses the whole, with the reason. */
export async function checkPush(
  deps: Deps,
  { caller, project, permissions }: GitAccess,
  updates: readonly PushedRef[],
  context: CheckContext,
): Promise<CheckVerdict> {
  if (updates.length > MAX_REFS) return { ok: false, message: `A push may change at most ${MAX_REFS} refs at once.` };
  const repo = repositoryOf(deps, project);
  const check = {
    deps,
    actor: { caller, permissions },
    protections: await loadProtections(deps, project.id),
    defaultBranch: await repo.refs.head(),
    via: 'git' as const,
    isAncestor: (ancestor: string, descendant: string) =>
      isAncestorInQuarantine(repo, ancestor, descendant, context.quarantineEnv),
  };
  for (const update of updates) {
    const reason = await refuseChange(check, update);
    if (reason !== null) return { ok: false, message: `Stithy: ${reason}` };
  }
  return { ok: true };
}

/** Moves the refs of an accepted push: all together, or, where the client did not ask for that, one by one. */
export async function applyPush(
  deps: Deps,
  { caller, project }: GitAccess,
  updates: readonly PushedRef[],
  { atomic, pushOptions }: UpdateContext,
): Promise<UpdateResult> {
  const userId = caller.user?.id ?? null;
  return inRepositoryQueue(deps, project, async (repo) => {
    const apply = async (some: readonly PushedRef[]): Promise<string | null> => {
      try {
        await changeRefs(deps, repo, { holder: ofProject(project), userId, updates: some, via: 'git', pushOptions });
        return null;
      } catch (error) {
        if (error instanceof ApiError) return error.message;
        if (error instanceof GitError && error.code === 'conflict')
          return 'the ref was changed meanwhile; fetch and try again';
        if (error instanceof GitError && error.code === 'invalid') return 'funny refname or not a commit';
        deps.log.log('error', 'a push could not move its refs', { project_id: project.id, error: String(error) });
        return 'failed to update ref';
      }
    };
    const reason = await apply(updates);
    if (reason === null || atomic || updates.length === 1) return { reasons: updates.map(() => reason) };
    const reasons: (string | null)[] = [];
    for (const update of updates) reasons.push(await apply([update]));
    return { reasons };
  });
}
