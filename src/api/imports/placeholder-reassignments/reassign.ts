import { jobCaller } from '../../../access/job-caller.ts';
import { timestamp } from '../../../core/clock.ts';
import { ApiError } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { type ImportSourceUser, SOURCE_USER_STATUS as STATUS } from '../../../db/tables/import-source-users.table.ts';
import type { Deps } from '../../../deps.ts';
import { addMember, groupSource, projectSource, type Source } from '../../spaces/index.ts';
import { moveContributions, type Part } from './contributions.ts';
import { displayNameOf, notifyReassignment, REASSIGN, recordReassignment } from './placeholder-reassignments.assign.ts';

/** The reassignment has ended. */
class Ended extends Error {}

/** Runs each part in a transaction, after checking that the reassignment is still in progress. @throws Ended */
const guarded =
  (deps: Deps, { id }: ImportSourceUser, signal: AbortSignal): Part =>
  (move) => {
    signal.throwIfAborted();
    return deps.db.transaction().execute(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('import_source_users')
        .set({ updated_at: timestamp(deps.clock) })
        .where('id', '=', id)
        .where('status', '=', STATUS.reassignment_in_progress)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Ended();
      return move(db);
    });
  };

async function sourceOf(
  db: Db,
  of: { group_id: number | null; project_id: number | null },
): Promise<Source | undefined> {
  if (of.group_id !== null) {
    const group = await db.selectFrom('namespaces').selectAll().where('id', '=', of.group_id).executeTakeFirst();
    return group && groupSource(group);
  }
  const project = await db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', of.project_id ?? 0)
    .executeTakeFirst();
  const namespace =
    project &&
    (await db.selectFrom('namespaces').selectAll().where('id', '=', project.namespace_id).executeTakeFirst());
  return project && namespace && projectSource(project, namespace);
}

/** Creates the imported memberships, limited by the current rights of the user who reassigns. */
async function giveMemberships(deps: Deps, row: ImportSourceUser, to: number): Promise<void> {
  const caller = await jobCaller(deps, row.reassigned_by_user_id ?? 0);
  const waiting = await deps.db
    .selectFrom('import_placeholder_memberships')
    .selectAll()
    .where('source_user_id', '=', row.id)
    .orderBy('id')
    .execute();
  for (const each of waiting) {
    const source = await sourceOf(deps.db, each);
    if (caller !== undefined && source !== undefined) {
      const membership = { accessLevel: each.access_level, expiresAt: each.expires_at, memberRoleId: null };
      await addMember(deps, { source, caller, actor: caller.user }, { ids: [to] }, membership).catch(
        (error: unknown) => {
          // Already a member, expired, or the user who reassigns lacks the right.
          if (!(error instanceof ApiError)) throw error;
        },
      );
    }
    await deps.db.deleteFrom('import_placeholder_memberships').where('id', '=', each.id).execute();
  }
}

async function end(deps: Deps, row: ImportSourceUser, error: string | null): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const changed = await db
      .updateTable('import_source_users')
      .set({
        status: error === null ? STATUS.completed : STATUS.failed,
        reassignment_error: error,
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', row.id)
      .where('status', '=', STATUS.reassignment_in_progress)
      .returning('id')
      .executeTakeFirst();
    if (changed === undefined) return;
    const to = await db
      .selectFrom('users')
      .select('username')
      .where('id', '=', row.reassign_to_user_id ?? 0)
      .executeTakeFirst();
    await recordReassignment(deps, db, row, error === null ? 'completed' : 'failed', to?.username ?? 'ghost');
    const what = error === null ? 'were assigned' : `could not be assigned (${error})`;
    await notifyReassignment(
      deps,
      db,
      row,
      `The contributions of ${displayNameOf(row)} ${what} to the user you chose.`,
    );
  });
}

/** Registers the job that moves contributions. */
export function registerReassignments(deps: Deps): void {
  deps.jobs.register(REASSIGN, async ({ source_user_id }, { signal, attempts }) => {
    const row = await deps.db
      .selectFrom('import_source_users')
      .selectAll()
      .where('id', '=', source_user_id)
      .where('status', '=', STATUS.reassignment_in_progress)
      .executeTakeFirst();
    if (row === undefined) return;
    const { placeholder_user_id: from, reassign_to_user_id: to } = row;
    if (from === null || to === null) return end(deps, row, 'the user was deleted');
    try {
      await moveContributions(guarded(deps, row, signal), { from, to });
      await giveMemberships(deps, row, to);
      await end(deps, row, null);
    } catch (error) {
      if (error instanceof Ended) return;
      if (signal.aborted || attempts < REASSIGN.maxAttempts) throw error;
      deps.log.log('error', 'contributions could not be reassigned', { source_user_id, error: String(error) });
      await end(deps, row, 'an internal error occurred');
    }
  });
}
