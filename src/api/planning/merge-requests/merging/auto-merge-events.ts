import type { DomainEvents } from '../../../../core/core.domain-events.ts';
import type { Db } from '../../../../db/db.schema.ts';
import type { Deps } from '../../../../deps.ts';
import type { RecordedEvent } from '../../../../jobs/jobs.events.ts';
import { hasAutoMerges, recheckAutoMergesFor, recheckAutoMergesOf } from '../lifecycle/recheck-auto-merges.ts';
import { headedBy } from '../mergeability/head-pipelines.ts';
import { cancelAutoMerge, processAutoMerge } from './auto-merge.ts';

/** Subscribes auto-merges to the events that they may wait for. */
export function subscribeAutoMerge(deps: Deps): void {
  const { db, events } = deps;
  const look = async (ids: readonly number[]) => {
    for (const id of ids) await processAutoMerge(deps, id);
  };
  events.subscribe({
    name: 'auto-merge-pipeline',
    types: ['pipeline.updated'],
    lane: 'git',
    // Enabling auto-merge does not lock the pipeline, so whether a merge request waits is checked in the job.
    wants: async ({ payload: { pipeline_id, status } }, db) =>
      (status === 'success' || status === 'skipped') && (await headedBy(db, pipeline_id)).length > 0,
    handle: async ({ payload }) =>
      look((await headedBy(db, payload.pipeline_id)).filter(({ auto_merge }) => auto_merge === 1).map(({ id }) => id)),
  });
  events.subscribe({
    name: 'auto-merge-note',
    types: ['note.updated'],
    lane: 'git',
    wants: ({ payload }) => payload.noteable_type === 'MergeRequest',
    handle: async ({ payload }) => look(await ofNote(db, payload.note_id)),
  });
  events.subscribe({
    name: 'auto-merge-approval',
    types: ['merge_request.approved'],
    lane: 'git',
    wants: ({ payload }, db) => isWaiting(db, payload.merge_request_id),
    handle: ({ payload }) => look([payload.merge_request_id]),
  });
  events.subscribe({
    name: 'auto-merge-check',
    types: ['merge_request.status_checked'],
    lane: 'git',
    handle: ({ payload }) => look([payload.merge_request_id]),
  });
  events.subscribe({
    name: 'auto-merge-change',
    types: ['merge_request.updated', 'merge_request.closed'],
    lane: 'git',
    wants: ({ payload }, db) => isWaiting(db, payload.merge_request_id),
    handle: (event) => afterChange(deps, event),
  });
  // Rules that require users who can no longer approve count as approved.
  events.subscribe({
    name: 'auto-merge-member',
    types: ['member.added', 'member.updated', 'member.removed'],
    wants: ({ payload }, db) => payload.source_type === 'group' || hasAutoMerges(db, payload.source_id),
    handle: ({ payload }) => recheckAutoMergesOf(deps, payload.source_type, payload.source_id),
  });
  events.subscribe({
    name: 'auto-merge-project',
    types: ['project.updated'],
    wants: ({ payload }, db) => hasAutoMerges(db, payload.project_id),
    handle: ({ payload }) => recheckAutoMergesOf(deps, 'project', payload.project_id),
  });
  deps.lifecycle.userBlocked.add((db, userId) => recheckAutoMergesFor(deps, db, userId));
  deps.lifecycle.userRemoved.add((db, { id }) => recheckAutoMergesFor(deps, db, id));
}

/**
 * Whether the merge request has auto-merge enabled. For events whose transactions lock its row, which serializes them
 * with enabling.
 */
async function isWaiting(db: Db, id: number): Promise<boolean> {
  const query = db.selectFrom('merge_requests').select('id').where('id', '=', id).where('auto_merge', '=', 1);
  return (await query.executeTakeFirst()) !== undefined;
}

async function ofNote(db: Db, noteId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('merge_requests.id')
    .where('merge_requests.state', '=', 'opened')
    .where('merge_requests.auto_merge', '=', 1)
    .innerJoin('notes', 'notes.noteable_id', 'merge_requests.id')
    .where('notes.id', '=', noteId)
    .where('notes.noteable_type', '=', 'MergeRequest')
    .execute();
  return rows.map(({ id }) => id);
}

type Change = RecordedEvent<'merge_request.updated' | 'merge_request.closed'>;

/** Cancels the auto-merge of a merge request that was closed or retargeted. */
async function afterChange(deps: Deps, { type, payload, actor_id }: Change): Promise<void> {
  const { merge_request_id: id } = payload;
  const { changes = {} } = payload as Partial<DomainEvents['merge_request.updated']>;
  const reason =
    type === 'merge_request.closed'
      ? 'merge request was closed'
      : 'target_branch' in changes
        ? 'target branch was changed'
        : null;
  if (reason === null) return processAutoMerge(deps, id);
  const row = await deps.db
    .selectFrom('merge_requests')
    .select(['id', 'author_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return;
  const by = { userId: actor_id ?? row.author_id, text: `aborted the automatic merge because ${reason}` };
  await deps.db.transaction().execute((db) => cancelAutoMerge(deps, db, row, by));
}
