import type { Updateable } from 'kysely';
import type { Static } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { type CallerInProject, revalidateProjectAbility } from '../../../access/caller-in-project.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { changesOf, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { project as onProject, recordAudit } from '../../../audit/record.audit.ts';
import { recordRunner, runnerEntry } from '../../../audit/runners.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, invalidModel, notFound } from '../../../core/core.errors.ts';
import { bit, parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiRunner, CiRunnersTable } from '../../../db/tables/ci-runners.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { wakeRunnersAfter } from '../../../pipelines/runners/pending-jobs.ts';
import { mayUpdateRunner } from './runners.access.ts';
import { checkNumber } from './runners.create.ts';
import type { runnerChange } from './runners.inputs.ts';
import { checkRunner, cleanTags } from './runners.rules.ts';
import { ownerProject, unregisterRunner } from './runners.tokens.ts';

/** Locks a runner until the end of the transaction. @throws ApiError 404 */
async function lockRunner(deps: Deps, db: Db, id: number): Promise<CiRunner> {
  return db
    .updateTable('ci_runners')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Runner'));
}

function columnsOf(input: Static<typeof runnerChange>): Updateable<CiRunnersTable> {
  const { description, maintenance_note, paused, active, locked, run_untagged, access_level, maximum_timeout } = input;
  const isPaused = paused ?? (active === undefined ? undefined : !active);
  const flag = (name: keyof CiRunnersTable, value: boolean | undefined) =>
    value === undefined ? {} : { [name]: bit(value) };
  return {
    ...(description === undefined ? {} : { description }),
    ...(maintenance_note === undefined ? {} : { maintenance_note }),
    ...flag('paused', isPaused),
    ...flag('locked', locked),
    ...flag('run_untagged', run_untagged),
    ...(access_level === undefined ? {} : { access_level }),
    ...(maximum_timeout === undefined ? {} : { maximum_timeout }),
    ...(input.tag_list === undefined ? {} : { tag_list: JSON.stringify(cleanTags(input.tag_list)) }),
  };
}

const WATCHED: WatchedAttributes<CiRunner> = {
  paused: { name: 'ci_runner_updated', as: 'paused', flag: true },
  locked: { name: 'ci_runner_updated', as: 'locked', flag: true },
  run_untagged: { name: 'ci_runner_updated', as: 'run untagged', flag: true },
  access_level: { name: 'ci_runner_updated', as: 'access level' },
  maximum_timeout: { name: 'ci_runner_updated', as: 'maximum timeout' },
  tag_list: { name: 'ci_runner_updated', as: 'tags' },
};

/** Updates the given attributes of a runner, which may make it eligible for other jobs. @throws ApiError 400, 404 */
export function updateRunner(deps: Deps, { id }: CiRunner, input: Static<typeof runnerChange>): Promise<CiRunner> {
  return deps.db.transaction().execute(async (db) => {
    const changes = columnsOf(input);
    const before = await lockRunner(deps, db, id);
    const row = { ...before, ...changes } as CiRunner;
    checkRunner({ ...row, tags: parseJson<string[]>(row.tag_list) });
    if (Object.keys(changes).length > 0) {
      await db.updateTable('ci_runners').set(changes).where('id', '=', id).execute();
      for (const change of changesOf(before, row, WATCHED)) await recordRunner(deps, db, row, change);
    }
    wakeRunnersAfter(deps, db);
    return row;
  });
}

/** Deletes a runner. @throws ApiError 403 if it has several projects, unless the caller is an administrator */
export function deleteRunner(deps: Deps, { admin }: UserCaller, runner: CiRunner): Promise<void> {
  const { id } = runner;
  return deps.db.transaction().execute(async (db) => {
    if (!admin) {
      const projects = await db
        .selectFrom('ci_runner_projects')
        .select('project_id')
        .where('runner_id', '=', id)
        .limit(2)
        .execute();
      if (projects.length > 1) throw forbidden('Runner associated with more than one project');
    }
    await unregisterRunner(deps, db, runner);
  });
}

/** Returns why a runner cannot be assigned to another project. */
function refusalOf({ runner_type, locked }: CiRunner): string | undefined {
  if (runner_type === 'instance_type') return 'Runner is an instance runner';
  if (runner_type === 'group_type') return 'Runner is a group runner';
  return locked === 1 ? 'Runner is locked' : undefined;
}

const linkOf = (db: Db, runnerId: number, project: Project) =>
  db
    .selectFrom('ci_runner_projects')
    .select('project_id')
    .where('runner_id', '=', runnerId)
    .where('project_id', '=', project.id)
    .executeTakeFirst();

/** Assigns a runner to another project. @throws ApiError 400, 401, 403, 404 */
export function enableRunner(
  deps: Deps,
  { caller, project }: Pick<CallerInProject<UserCaller>, 'caller' | 'project'>,
  runnerId: number,
): Promise<CiRunner> {
  return deps.db.transaction().execute(async (db) => {
    await lockRow(db, 'projects', project.id);
    const runner = await lockRunner(deps, db, runnerId);
    const now = await revalidateProjectAbility(deps, db, caller, project.id, 'admin_runners');
    if (!(await mayUpdateRunner(transactionDeps(deps, db), now.caller, runner))) throw forbidden('No access granted');
    const reason = refusalOf(runner);
    if (reason !== undefined) throw forbidden(reason);
    const link = await linkOf(db, runnerId, project);
    if (link !== undefined) throw invalidModel({ runner_id: ['has already been taken'] });
    await checkNumber(transactionDeps(deps, db), { runner_type: 'project_type', project });
    await db
      .insertInto('ci_runner_projects')
      .values({ runner_id: runnerId, project_id: project.id, created_at: timestamp(deps.clock) })
      .execute();
    const event = { name: 'ci_runner_assigned_to_project', message: 'Assigned CI runner to project' } as const;
    await recordAudit(deps, db, runnerEntry(runner, onProject(project.id), event));
    wakeRunnersAfter(deps, db);
    return runner;
  });
}

/** Unassigns a runner from a project. @throws ApiError 403 for its owner project, 404 */
export function disableRunner(deps: Deps, runnerId: number, project: Project): Promise<void> {
  return deps.db.transaction().execute(async (db) => {
    const runner = await lockRunner(deps, db, runnerId);
    if ((await linkOf(db, runnerId, project)) === undefined) throw notFound('Runner');
    if ((await ownerProject(db, runnerId))?.id === project.id) {
      throw forbidden('You cannot unassign a runner from the owner project. Delete the runner instead');
    }
    await db
      .deleteFrom('ci_runner_projects')
      .where('runner_id', '=', runnerId)
      .where('project_id', '=', project.id)
      .execute();
    const event = { name: 'ci_runner_unassigned_from_project', message: 'Unassigned CI runner from project' } as const;
    await recordAudit(deps, db, runnerEntry(runner, onProject(project.id), event));
  });
}
