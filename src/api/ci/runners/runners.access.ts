import { describeInstanceAbility } from '../../../access/ability-words.ts';
import { groupMembership, projectsOf } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { RolePermission } from '../../../access/role-permissions.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { forbidden, notFound } from '../../../core/core.errors.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/http.route.ts';
import { signedIn } from '../../api.access.ts';
import { runnerId } from './runners.inputs.ts';

/** Returns a runner. @throws ApiError 404 */
export async function findRunner({ db }: Deps, id: number): Promise<CiRunner> {
  const runner = await db.selectFrom('ci_runners').selectAll().where('id', '=', id).executeTakeFirst();
  if (runner === undefined) throw notFound('Runner');
  return runner;
}

/** Whether the caller has a level, or a permission of a custom role, in the group or in a project of a runner. */
async function hasLevel(
  { db, clock }: Deps,
  { user }: UserCaller,
  { id, group_id }: CiRunner,
  { inGroup, inProject, permissions = [] }: { inGroup: number; inProject: number; permissions?: RolePermission[] },
): Promise<boolean> {
  const day = today(clock);
  if (group_id !== null) {
    const group = await db.selectFrom('namespaces').selectAll().where('id', '=', group_id).executeTakeFirst();
    if (group === undefined) return false;
    const own = await groupMembership(db, group, user.id, day);
    return own.level >= inGroup || permissions.some((permission) => own.permissions.has(permission));
  }
  const project = await db
    .selectFrom('ci_runner_projects')
    .select('project_id')
    .where('runner_id', '=', id)
    .where('project_id', 'in', projectsOf(user.id, { level: inProject, permissions }, day))
    .limit(1)
    .executeTakeFirst();
  return project !== undefined;
}

const { maintainer, owner } = AccessLevel;

/** Whether the caller may change a runner. */
export const mayUpdateRunner = async (deps: Deps, caller: UserCaller, runner: CiRunner): Promise<boolean> =>
  caller.admin || (await hasLevel(deps, caller, runner, { inGroup: owner, inProject: maintainer }));

const mayReadRunner = async (deps: Deps, caller: UserCaller, runner: CiRunner): Promise<boolean> =>
  caller.admin ||
  runner.runner_type === 'instance_type' ||
  (await hasLevel(deps, caller, runner, {
    inGroup: maintainer,
    inProject: maintainer,
    permissions: ['read_runners'],
  }));

/** Callers with an ability on the runner of `:runner_id`. Handlers find it in their context. */
function onRunner(ability: 'read_runner' | 'update_runner'): Access<{ caller: UserCaller; runner: CiRunner }> {
  const may = ability === 'read_runner' ? mayReadRunner : mayUpdateRunner;
  return {
    ...signedIn,
    description: describeInstanceAbility(ability, 'runner'),
    ability,
    writes: ability === 'update_runner',
    params: runnerId,
    check: async (request) => {
      const { caller } = await signedIn.check(request);
      const { runner_id } = request.values() as { runner_id: number };
      const runner = await findRunner(request.deps, runner_id);
      if (!(await may(request.deps, caller, runner))) throw forbidden('No access granted');
      return { caller, runner };
    },
  };
}

export const runnerReader = onRunner('read_runner');
export const runnerUpdater = onRunner('update_runner');
