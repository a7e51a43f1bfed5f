import type { UserCaller } from '../../../access/caller.ts';
import { timestamp } from '../../../core/clock.ts';
import type { Reference } from '../../../core/core.references.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNote } from '../notes/system-note.ts';
import type { Resolver } from './references.resolve.ts';
import { describe, keyOf, type Source } from './references.source.ts';

interface Target {
  type: IssuableType;
  id: number;
  projectId: number;
}

/**
 * Writes cross reference notes on the issues and merge requests that a source refers to; once per source, idempotent.
 */
export async function notifyTargets(
  deps: Deps,
  author: UserCaller,
  resolver: Resolver,
  source: Source,
  references: readonly Reference[],
): Promise<void> {
  const issues = await resolver.issues(references);
  const mergeRequests = await resolver.mergeRequests(references);
  const targets: Target[] = [
    ...issues.map(({ issue }) => ({ type: 'Issue', id: issue.id, projectId: issue.project_id }) as const),
    ...mergeRequests.map(
      ({ mergeRequest: { id, project_id } }) => ({ type: 'MergeRequest', id, projectId: project_id }) as const,
    ),
  ];
  const others = targets.filter(({ type, id }) => type !== source.type || id !== source.id);
  for (const target of others) {
    if (await isPartOf(deps.db, source, target)) continue;
    await deps.db.transaction().execute((db) => tell(deps, db, author, source, target));
  }
}

async function tell(deps: Deps, db: Db, author: UserCaller, source: Source, target: Target): Promise<void> {
  if (!(await exists(db, target))) return;
  const projectId = source.home?.project.id ?? null;
  const row = await db
    .insertInto('cross_references')
    .values({
      target_type: target.type,
      target_id: target.id,
      source_type: source.type,
      source_id: source.id,
      source_sha: source.type === 'Commit' ? source.sha : null,
      source_key: keyOf(source),
      source_project_id: projectId,
      target_project_id: target.projectId,
      note_id: null,
      created_at: timestamp(deps.clock),
    })
    .onConflict((conflict) => conflict.columns(['target_type', 'target_id', 'source_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return;
  const text = `mentioned in ${describe(source, target.projectId)}`;
  const note_id = await writeSystemNote(deps, db, target, author.user.id, 'cross_reference', text);
  await db.updateTable('cross_references').set({ note_id }).where('id', '=', row.id).execute();
}

/** Locks the target for the transaction. @returns false if it no longer exists */
async function exists(db: Db, { type, id }: Target): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(type === 'Issue' ? 'issues' : 'merge_requests')
    .set((eb) => ({ iid: eb.ref('iid') }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the source is a commit of the target merge request, which needs no cross reference. */
async function isPartOf(db: Db, source: Source, target: Target): Promise<boolean> {
  if (source.type !== 'Commit' || target.type !== 'MergeRequest') return false;
  const row = await db
    .selectFrom('merge_request_commits')
    .select('sha')
    .where('sha', '=', source.sha)
    .where('merge_request_id', '=', target.id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
