import { recordNotFound } from '../../../../core/core.errors.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../../deps.ts';
import { settingsOf } from '../../../spaces/index.ts';
import { tipOf } from './branches.ts';
import { lockMergeRequest } from './merge-requests.lock.ts';
import { uncheckedStatus } from './merge-status.ts';

/**
 * Removes the approvals of a head that was replaced without an observed push. Removes all of them even if a push would
 * remove only those of code owners.
 */
export async function dropOutdatedApprovals(
  db: Db,
  { id, project_id }: Pick<MergeRequest, 'id' | 'project_id'>,
): Promise<void> {
  const project = await db.selectFrom('projects').select('settings').where('id', '=', project_id).executeTakeFirst();
  if (project === undefined) return;
  const { reset_approvals_on_push, selective_code_owner_removals } = settingsOf(project);
  if (!reset_approvals_on_push && !selective_code_owner_removals) return;
  await db.deleteFrom('approvals').where('merge_request_id', '=', id).execute();
}

/**
 * Catches up with a push that ran while a merge request was created or reopened, and therefore missed it: the branch is
 * at another commit, and no ref change of the source repository is pending.
 * @throws ApiError 404 if the merge request no longer exists
 */
export async function afterMissedPush(deps: Deps, row: MergeRequest): Promise<MergeRequest> {
  if (row.state !== 'opened' || row.source_project_id === null) return row;
  const source = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', row.source_project_id)
    .executeTakeFirst();
  const tip = source && (await tipOf(deps, source, row.source_branch));
  if (!tip || tip === row.head_sha) return row;
  return deps.db.transaction().execute(async (db) => {
    const locked = await lockMergeRequest(db, row.id);
    if (locked === undefined) throw recordNotFound();
    const pending = await db
      .selectFrom('ref_intents')
      .select('id')
      .where('project_id', '=', source.id)
      .limit(1)
      .executeTakeFirst();
    if (pending !== undefined || locked.state !== 'opened' || locked.head_sha !== row.head_sha) return locked;
    await dropOutdatedApprovals(db, locked);
    return db
      .updateTable('merge_requests')
      .set((eb) => ({ head_sha: tip, approvals_syncing: 1, merge_status: uncheckedStatus(eb) }))
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}
