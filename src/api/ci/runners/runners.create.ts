import type { Static } from 'typebox';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import { recordRunner } from '../../../audit/runners.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, invalidModel } from '../../../core/core.errors.ts';
import { bit } from '../../../db/columns.ts';
import { isForeignKeyViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { lockRow } from '../../../db/lock-row.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { planLimits } from '../../../settings/settings.plan-limits.ts';
import type { registeredRunner } from './runners.inputs.ts';
import { checkRunner, cleanTags } from './runners.rules.ts';
import { newRunnerToken, tokenEnd } from './runners.tokens.ts';

/** Owner of a runner: the instance, a group or a project. */
export type RunnerOwner =
  | { runner_type: 'instance_type' }
  | { runner_type: 'group_type'; groupId: number }
  | { runner_type: 'project_type'; project: Pick<Project, 'id' | 'settings'> };

/**
 * Creates a runner. Only the result contains its token.
 * @param creatorId id of the user; null for registration tokens
 * @throws ApiError 400 for invalid attributes, 403 if the owner was deleted
 */
export async function createRunner(
  deps: Deps,
  owner: RunnerOwner,
  input: Static<typeof registeredRunner>,
  creatorId: number | null,
): Promise<{ row: CiRunner; token: string }> {
  const tags = cleanTags(input.tag_list ?? []);
  const run_untagged = bit(input.run_untagged ?? true);
  const maximum_timeout = input.maximum_timeout ?? null;
  checkRunner({ run_untagged, maximum_timeout, tags });
  const registration = creatorId === null ? 'registration_token' : 'user';
  const { token, columns } = newRunnerToken(registration);
  const now = timestamp(deps.clock);
  const project = owner.runner_type === 'project_type' ? owner.project : null;
  const row = await deps.db
    .transaction()
    .execute(async (db) => {
      if (!(await lock(db, owner))) throw forbidden();
      await checkNumber(transactionDeps(deps, db), owner);
      const row = await db
        .insertInto('ci_runners')
        .values({
          ...columns,
          runner_type: owner.runner_type,
          group_id: owner.runner_type === 'group_type' ? owner.groupId : null,
          creator_id: creatorId,
          description: input.description ?? null,
          maintenance_note: input.maintenance_note ?? input.maintainer_note ?? null,
          token_expires_at: tokenEnd(deps, owner.runner_type, project),
          registration,
          paused: bit(input.paused ?? input.active === false),
          locked: bit(input.locked ?? false),
          run_untagged,
          access_level: input.access_level ?? 'not_protected',
          maximum_timeout,
          tag_list: JSON.stringify(tags),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      if (project !== null) {
        const link = { runner_id: row.id, project_id: project.id, created_at: now };
        await db.insertInto('ci_runner_projects').values(link).execute();
      }
      const event =
        registration === 'user'
          ? ({ name: 'ci_runner_created', message: 'Created CI runner' } as const)
          : ({ name: 'ci_runner_registered', message: 'Registered CI runner' } as const);
      await recordRunner(deps, db, row, event);
      return row;
    })
    .catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? forbidden() : error;
    });
  return { row, token };
}

/** Locks the owner, so that runners are added one at a time. @returns whether it exists */
async function lock(db: Db, owner: RunnerOwner): Promise<boolean> {
  if (owner.runner_type === 'instance_type') return true;
  if (owner.runner_type === 'group_type') return lockRow(db, 'namespaces', owner.groupId);
  return lockRow(db, 'projects', owner.project.id);
}

/**
 * Checks the limit for another runner. Call it in a transaction that has locked the owner.
 * @param deps with the transaction's handle
 * @throws ApiError 400 if the limit is reached
 */
export async function checkNumber(deps: Deps, owner: RunnerOwner): Promise<void> {
  if (owner.runner_type === 'instance_type') return;
  const { db } = deps;
  const limits = await planLimits(deps);
  const kind = owner.runner_type === 'group_type' ? 'group' : 'project';
  const limit = limits[`ci_registered_${kind}_runners`];
  if (limit === 0) return;
  const rows =
    owner.runner_type === 'group_type'
      ? db.selectFrom('ci_runners').select('id').where('group_id', '=', owner.groupId).limit(limit)
      : db
          .selectFrom('ci_runner_projects')
          .select('runner_id as id')
          .where('project_id', '=', owner.project.id)
          .limit(limit);
  if ((await rows.execute()).length < limit) return;
  throw invalidModel({ base: [`Maximum number of ci registered ${kind} runners (${limit}) exceeded`] });
}
